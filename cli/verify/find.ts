import { ensure } from '#core';

/** Something in an answer or an export that carries a signature, or should. */
export type Found =
  | { readonly type: 'metric'; readonly place: string; readonly value: JsonObject }
  /** One of a list of receipts, which must form a chain. */
  | { readonly type: 'receipt'; readonly place: string; readonly value: JsonObject }
  /** A change with its receipt, which is verified by itself. */
  | { readonly type: 'event'; readonly place: string; readonly value: JsonObject };

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By any of these a metric is known, so that one from which the signature was taken does not pass unseen. */
const metricMembers = ['raw_value', 'raw_value_text', 'rawValue'];

/** What the points of a history leave to their metric. */
const inheritedMembers = ['companyId', 'key'];

/** No answer and no export of ours is nested as deeply. */
const maxDepth = 100;

/**
 * Everything in a document that can be verified, wherever it stands in it.
 *
 * @param place in the document, as in `data.company.metrics[3]`
 * @throws OperatorError `invalid` when the document is nested too deeply
 */
export function* find(
  value: unknown,
  place = '',
  inherited: JsonObject = {},
  depth = 0,
): Generator<Found> {
  ensure(depth <= maxDepth, 'invalid', 'the document is nested more than 100 levels deep');
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* find(item, `${place}[${index}]`, inherited, depth + 1);
    }
    return;
  }
  if (!isObject(value)) return;
  const has = (name: string) => Object.hasOwn(value, name);
  if (isEvent(value)) {
    yield { type: 'event', place, value };
    return;
  }
  if (has('jws') || value.object === 'consent_receipt') {
    yield { type: 'receipt', place, value };
    return;
  }
  const isMetric = isObject(value.verification) || metricMembers.some(has);
  if (isMetric) yield { type: 'metric', place, value: { ...inherited, ...value } };
  const handedDown = isMetric ? pick(value, inheritedMembers) : {};
  for (const [name, member] of Object.entries(value)) {
    yield* find(member, place === '' ? name : `${place}.${name}`, handedDown, depth + 1);
  }
}

/** An item of a feed of events, or what a webhook brings. */
function isEvent({ type, data }: JsonObject): boolean {
  return typeof type === 'string' && isObject(data) && isObject(data.access_request);
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  );
}
