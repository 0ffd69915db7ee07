import { type Change, readChange } from './change.ts';
import { isObject, type JsonObject } from './json-document.ts';

/** A part of a response or an export that is signed, or should be. */
export type Found =
  | { readonly type: 'metric'; readonly place: string; readonly value: JsonObject }
  /** An item of a list of receipts. The list must form a chain. */
  | { readonly type: 'receipt'; readonly place: string; readonly value: JsonObject }
  /** The signed head of a list of receipts. */
  | { readonly type: 'head'; readonly place: string; readonly value: string }
  /** A change with its receipt, which is verified without a chain. */
  | { readonly type: 'change'; readonly place: string; readonly value: Change };

/** Each of these names marks a metric. So a metric whose signature was removed is found too. */
const metricMembers = ['raw_value', 'raw_value_text', 'rawValue'];

/** Members that a history has only on the metric, not on its points. */
const inheritedMembers = ['companyId', 'key'];

/** The names of a head in REST, GraphQL and tRPC. The head itself is a text. */
const headMembers = ['head', 'receiptsHead'];

/** Deeper than any response or export of the service. */
const maxDepth = 100;

/** The position of a part in the document, with values from the parts around it. */
interface Position {
  /** The path in the document, for example `data.company.metrics[3]`. */
  readonly place: string;
  readonly inherited: JsonObject;
  readonly depth: number;
  /** The receipt of the change around this part. It is verified with the change. */
  readonly receipt?: unknown;
}

/**
 * Finds everything in a document that can be verified, at any depth.
 *
 * @throws Error if the document is nested too deeply
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
