import { accessRequestStatuses, companyAccesses, environments, scopes } from '#core';
import { builder } from './builder.ts';

/** An enum with its values' names in GraphQL: metrics:read → METRICS_READ, access_request.created → CREATED. */
export function createEnum<const Value extends string>(name: string, values: readonly Value[]) {
  const named = values.map((value) => [
    value
      .replace(/^access_request\./, '')
      .replace(':', '_')
      .replace(/[A-Z]/g, '_$&')
      .toUpperCase(),
    { value },
  ]);
  return builder.enumType(name, {
    values: Object.fromEntries(named) as Record<string, { readonly value: Value }>,
  });
}

export const Scope = createEnum('Scope', scopes);
export const AccessRequestStatus = createEnum('AccessRequestStatus', accessRequestStatuses);
export const CompanyAccessStatus = createEnum('CompanyAccessStatus', companyAccesses);
export const Environment = createEnum('Environment', environments);
