import type { ErrorDetails } from '#core';
import type { Json } from '../../support/http-client.ts';

/** Leaves out details without a value. */
export function detailsOf({ param, allowed, accessRequestId }: Json): ErrorDetails {
  const told = Object.entries({ param, allowed, accessRequestId });
  return Object.fromEntries(told.filter(([, value]) => value != null));
}

/** Converts the details from their names in REST. */
export function detailsInSnakeCase({ param, allowed, access_request_id }: Json): ErrorDetails {
  const bounds = allowed && !Array.isArray(allowed) ? namesInCamelCase(allowed) : allowed;
  return detailsOf({
    param: param && toCamelCase(param),
    allowed: bounds,
    accessRequestId: access_request_id,
  });
}

const namesInCamelCase = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [toCamelCase(name), value]));

const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
