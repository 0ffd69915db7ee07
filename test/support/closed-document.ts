import type { Json } from './http-client.ts';

/**
 * A document in which answers are closed: what it does not name may not be there, and a value that it does not list is
 * wrong. The service's own answers must fit it, while clients are told that there may be more one day.
 */
export function closeDocument(document: Json): Json {
  if (Array.isArray(document)) return document.map(closeDocument);
  if (typeof document !== 'object' || document === null) return document;
  const closed = Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, closeDocument(value)]),
  );
  const [listed, any] = closed.anyOf ?? [];
  if (listed?.enum !== undefined && isAnyText(any)) {
    const { anyOf: _, ...rest } = closed;
    return { ...rest, ...listed };
  }
  // The open member of a union is for types of a later version.
  closed.anyOf &&= closed.anyOf.filter(({ $ref }: Json) => $ref !== otherEvent);
  const isObject = closed.type === 'object' && closed.properties !== undefined;
  return isObject ? { additionalProperties: false, ...closed } : closed;
}

const otherEvent = '#/components/schemas/OtherEvent';

const isAnyText = (schema: Json) => JSON.stringify(schema) === '{"type":"string"}';
