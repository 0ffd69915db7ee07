import {
  describeCompleteness,
  type Failure,
  type JwkSet,
  type VerifiedReceipts,
  verifyMetric,
  verifyReceipt,
  verifyReceipts,
} from '#verify';
import { type Change, findDifference } from './change.ts';
import { type Found, find } from './find.ts';
import { type InputDocument, isObject, type JsonObject } from './json-document.ts';
import type { FindKeys } from './key-sets.ts';

export interface Problem {
  /** The place in the input, for example `line 3` or `data[2]`. */
  readonly position: string;
  readonly reason: Failure['reason'] | 'untrusted_keys';
  readonly message: string;
}

export interface Report {
  metrics: number;
  receipts: number;
  /** The number of verified metrics whose amount is only a JSON number, which may be rounded. */
  inexact: number;
  /** The number of access requests, by a description of their receipts such as `complete as of …`. */
  complete: Record<string, number>;
  failed: number;
}

type FoundHead = Extract<Found, { readonly type: 'head' }>;
type FoundReceipt = Extract<Found, { readonly type: 'receipt' }>;
type OnProblem = (problem: Problem) => void;

/** Checks receipt chains only after reading all input, because the receipts of one access request can be far apart. */
export async function verifyDocuments(
  documents: AsyncIterable<InputDocument>,
  findKeys: FindKeys,
  onProblem: OnProblem,
): Promise<Report> {
  const report: Report = { metrics: 0, receipts: 0, inexact: 0, complete: {}, failed: 0 };
  const chains = new Map<unknown, FoundReceipt[]>();
  const heads = new Map<unknown, FoundHead[]>();
  const fail = (position: string, { reason, message }: Omit<Problem, 'position'>) => {
    report.failed += 1;
    onProblem({ position, reason, message });
  };
  for await (const { line, value, problem } of documents) {
    const describePosition = (position: string) =>
      [line === null ? '' : `line ${line}`, position].filter(Boolean).join(' ');
    if (problem !== undefined)
      fail(describePosition(''), { reason: 'malformed', message: `the line ${problem}` });
    for (const found of find(value)) {
      const position = describePosition(found.position);
      if (found.type === 'receipt') {
        const request = requestOf(found.value.jws);
        chains.set(request, [...(chains.get(request) ?? []), { ...found, position }]);
        continue;
      }
      if (found.type === 'head') {
        const request = requestOf(found.value);
        heads.set(request, [...(heads.get(request) ?? []), { ...found, position }]);
        continue;
      }
      const failure =
        found.type === 'metric' ? await checkMetric(found.value) : await checkChange(found.value);
      if (failure !== null) fail(position, failure);
    }
  }
  for (const [request, chain] of chains) await checkChain(chain, heads.get(request) ?? []);
  for (const [request, found] of heads) {
    if (chains.has(request)) continue;
    for (const { position } of found) fail(position, headAlone);
  }
  return report;

  async function checkMetric(metric: JsonObject): Promise<Omit<Problem, 'position'> | null> {
    const { verification } = metric;
    const named = isObject(verification)
      ? (verification.public_key_url ?? verification.publicKeyUrl)
      : undefined;
    const jwks = await findKeys(named);
    if (typeof jwks === 'string') return { reason: 'untrusted_keys', message: jwks };
    const result = await verifyMetric(metric, { jwks });
    if (!result.valid) return withName(metric, result);
    report.metrics += 1;
    if (!result.exact) report.inexact += 1;
    return null;
  }

  async function checkChange(change: Change): Promise<Omit<Problem, 'position'> | null> {
    const { receipt } = change;
    if (!isObject(receipt)) return { reason: 'not_signed', message: 'the change has no receipt' };
    const jwks = await findKeys(undefined);
    if (typeof jwks === 'string') return { reason: 'untrusted_keys', message: jwks };
    const result = await verifyReceipt(receipt, { jwks });
    if (!result.valid) return result;
    const field = findDifference(change, result.payload);
    if (field !== undefined) {
      return { reason: 'field_differs', message: `${field} differs from the signed value` };
    }
    report.receipts += 1;
    return null;
  }

  /** Uses the latest valid head, and reports each invalid head separately. */
  async function checkHeads(
    items: readonly JsonObject[],
    headsOfChain: readonly FoundHead[],
    jwks: JwkSet,
  ): Promise<VerifiedReceipts | Failure> {
    let latest: VerifiedReceipts | undefined;
    for (const { position, value: head } of headsOfChain) {
      const result = await verifyReceipts(items, { jwks, head });
      if (!result.valid && result.index !== undefined) return result;
      if (!result.valid) fail(position, result);
      else if (asOf(result) > asOf(latest)) latest = result;
    }
    return latest ?? verifyReceipts(items, { jwks });
  }

  async function checkChain(
    chain: readonly FoundReceipt[],
    headsOfChain: readonly FoundHead[],
  ): Promise<void> {
    const jwks = await findKeys(undefined);
    if (typeof jwks === 'string') {
      for (const { position } of chain) fail(position, { reason: 'untrusted_keys', message: jwks });
      return;
    }
    const items = chain.map(({ value }) => value);
    const result = await checkHeads(items, headsOfChain, jwks);
    if (result.valid) {
      report.receipts += items.length;
      const completeness = describeCompleteness(result.complete);
      report.complete[completeness] = (report.complete[completeness] ?? 0) + 1;
      return;
    }
    const broken = result.index ?? 0;
    for (const [index, { position, value }] of chain.entries()) {
      const alone = index === broken ? result : await verifyReceipt(value, { jwks });
      if (alone.valid) report.receipts += 1;
      else fail(position, alone);
    }
  }
}

/** Times in this format can be compared as text. */
const asOf = (chain: VerifiedReceipts | undefined): string => chain?.complete.asOf ?? '';

const headAlone = {
  reason: 'no_receipts',
  message: 'no receipt belongs to the access request of this head',
} as const;

/** The receipt isn't verified yet. */
function requestOf(jws: unknown): unknown {
  try {
    const [, payload = ''] = String(jws).split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).access_request_id;
  } catch {
    return undefined;
  }
}

function withName(metric: JsonObject, { reason, message }: Failure): Omit<Problem, 'position'> {
  const names = [metric.company_id ?? metric.companyId, metric.key, metric.period];
  const name = names.filter((part) => typeof part === 'string').join(' ');
  return { reason, message: name === '' ? message : `${name}: ${message}` };
}
