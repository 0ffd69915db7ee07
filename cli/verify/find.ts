import { type Change, readChange } from './change.ts';
import { isObject, type JsonObject } from './json-document.ts';

/** Something in an answer or an export that carries a signature, or should. */
export type Found =
  | { readonly type: 'metric'; readonly place: string; readonly value: JsonObject }
  /** One of a list of receipts, which must form a chain. */
  | { readonly type: 'receipt'; readonly place: string; readonly value: JsonObject }
  /** What a list of receipts ends with. */
  | { readonly type: 'head'; readonly place: string; readonly value: string }
  /** A change with its receipt, which is verified by itself. */
  | { readonly type: 'change'; readonly place: string; readonly value: Change };

/** By any of these a metric is known, so that one from which the signature was taken does not pass unseen. */
const metricMembers = ['raw_value', 'raw_value_text', 'rawValue'];

/** What the points of a history leave to their metric. */
const inheritedMembers = ['companyId', 'key'];

/** A head is a text under one of these names, in REST, GraphQL or tRPC. */
const headMembers = ['head', 'receiptsHead'];

/** No answer and no export of ours is nested as deeply. */
const maxDepth = 100;

/** What is known of a part of a document by what it is a part of. */
interface Position {
  /** In the document, as in `data.company.metrics[3]`. */
  readonly place: string;
  readonly inherited: JsonObject;
  readonly depth: number;
  /** That of the change it belongs to, which is verified with the change. */
  readonly receipt?: unknown;
}

/**
 * Everything in a document that can be verified, wherever it stands in it, also beside and inside of something else.
 *
 * @throws Error when the document is nested too deeply
 */
export function* find(
  value: unknown,
  { place, inherited, depth, receipt }: Position = { place: '', inherited: {}, depth: 0 },
): Generator<Found> {
  if (depth > maxDepth) throw new Error('the document is nested more than 100 levels deep');
  const inside = { inherited, depth: depth + 1, receipt };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* find(item, { ...inside, place: `${place}[${index}]` });
    }
    return;
  }
  if (!isObject(value)) return;
  const has = (name: string) => Object.hasOwn(value, name);
  const change = readChange(value);
  if (change !== null && (receipt === undefined || change.receipt !== receipt)) {
    inside.receipt = change.receipt;
    yield { type: 'change', place, value: change };
  }
  const isReceipt = has('jws') || value.object === 'consent_receipt';
  if (isReceipt && value !== receipt) yield { type: 'receipt', place, value };
  const isMetric = isObject(value.verification) || metricMembers.some(has);
  const whole = { ...inherited, ...value };
  if (isMetric) yield { type: 'metric', place, value: whole };
  for (const name of headMembers) {
    const head = has(name) ? value[name] : undefined;
    if (typeof head === 'string') yield { type: 'head', place: placeOf(place, name), value: head };
  }
  inside.inherited = isMetric ? pick(whole, inheritedMembers) : {};
  for (const [name, member] of Object.entries(value)) {
    yield* find(member, { ...inside, place: placeOf(place, name) });
  }
}

const placeOf = (place: string, name: string) => (place === '' ? name : `${place}.${name}`);

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  );
}
