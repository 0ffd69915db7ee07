import type { Json } from './http-client.ts';

/**
 * Makes undocumented fields and unlisted values invalid. The published document allows them for
 * later versions, but current answers must not have them.
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
  // Removes the alternative for types that later versions add to a union.
  closed.anyOf &&= closed.anyOf.filter(({ $ref }: Json) => $ref !== otherEvent);
  const isObject = closed.type === 'object' && closed.properties !== undefined;
  return isObject ? { additionalProperties: false, ...closed } : closed;
}

const otherEvent = '#/components/schemas/OtherEvent';

const isAnyText = (schema: Json) => JSON.stringify(schema) === '{"type":"string"}';
