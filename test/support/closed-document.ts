import type { Json } from './http-client.ts';

/**
 * Closes the schemas of answers in a document: undocumented fields and unlisted values become errors. The service's own
 * answers must match it, while the published document allows additions for later versions.
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
