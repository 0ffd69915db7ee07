import { type Change, readChange } from './change.ts';
import { isObject, type JsonObject } from './json-document.ts';

/** A metric, receipt, head or change in the input, with or without a signature. */
export type Found =
  | { readonly type: 'metric'; readonly position: string; readonly value: JsonObject }
  /** A receipt in a list, which forms a chain with the other receipts. */
  | { readonly type: 'receipt'; readonly position: string; readonly value: JsonObject }
  | { readonly type: 'head'; readonly position: string; readonly value: string }
  /** A change with its own receipt, outside a receipt list. */
  | { readonly type: 'change'; readonly position: string; readonly value: Change };

/** A value with one of these members counts as a metric, even if its signature is missing. */
const metricMembers = ['raw_value', 'raw_value_text', 'rawValue'];

/** The points of a metric history don't repeat these fields. */
const inheritedMembers = ['companyId', 'key'];

const headMembers = ['head', 'receiptsHead'];

/** Responses and exports of the service are never nested that deep. */
const maxDepth = 100;

interface Position {
  /** The path in the document, for example `data.company.metrics[3]`. */
  readonly position: string;
  readonly inherited: JsonObject;
  readonly depth: number;
  /** If the value is inside a change: the receipt of that change. */
  readonly receipt?: unknown;
}

/** @throws Error if the document is nested too deeply */
export function* find(
  value: unknown,
  { position, inherited, depth, receipt }: Position = { position: '', inherited: {}, depth: 0 },
): Generator<Found> {
  if (depth > maxDepth) throw new Error('the document is nested more than 100 levels deep');
  const inside = { inherited, depth: depth + 1, receipt };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* find(item, { ...inside, position: `${position}[${index}]` });
    }
    return;
  }
  if (!isObject(value)) return;
  const has = (name: string) => Object.hasOwn(value, name);
  const change = readChange(value);
  if (change !== null && (receipt === undefined || change.receipt !== receipt)) {
    inside.receipt = change.receipt;
    yield { type: 'change', position, value: change };
  }
  const isReceipt = has('jws') || value.object === 'consent_receipt';
  if (isReceipt && value !== receipt) yield { type: 'receipt', position, value };
  const isMetric = isObject(value.verification) || metricMembers.some(has);
  const whole = { ...inherited, ...value };
  if (isMetric) yield { type: 'metric', position, value: whole };
  for (const name of headMembers) {
    const head = has(name) ? value[name] : undefined;
    if (typeof head === 'string')
      yield { type: 'head', position: positionOf(position, name), value: head };
  }
  inside.inherited = isMetric ? pick(whole, inheritedMembers) : {};
  for (const [name, member] of Object.entries(value)) {
    yield* find(member, { ...inside, position: positionOf(position, name) });
  }
}

const positionOf = (position: string, name: string) =>
  position === '' ? name : `${position}.${name}`;

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  );
}
