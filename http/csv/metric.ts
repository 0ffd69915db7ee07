import { type Metric, type MetricRevision, readOwnKeyId } from '#core';
import { csvLine } from './line.ts';

type Cell = (metric: MetricRevision) => string | null;

const signed = (metric: MetricRevision) =>
  metric.verification.signed ? metric.verification : null;

function keyId(metric: MetricRevision): string | null {
  const signature = signed(metric)?.signature;
  return signature === undefined ? null : readOwnKeyId(signature);
}

/** The API's field names, with a point for nested fields. The last three columns belong to the signature. */
const columns: readonly (readonly [string, Cell])[] = [
  ['company_id', ({ companyId }) => companyId],
  ['key', ({ key }) => key],
  ['label', ({ label }) => label],
  ['currency', ({ currency }) => currency],
  ['period', ({ period }) => period],
  ['raw_value', ({ rawValue }) => rawValue],
  ['value', ({ value }) => value],
  ['category', ({ category }) => category],
  ['confidence', ({ confidence }) => confidence],
  ['as_of', ({ asOf }) => asOf.toISOString()],
  ['source.system', ({ source }) => source.system],
  ['source.method', ({ source }) => source.method],
  ['source.last_synced', ({ source }) => source.lastSynced.toISOString()],
  ['verification.verified', ({ verification }) => `${verification.verified}`],
  ['verification.signed', ({ verification }) => `${verification.signed}`],
  ['verification.signature', (metric) => signed(metric)?.signature ?? null],
  ['verification.public_key_url', (metric) => signed(metric)?.publicKeyUrl ?? null],
  ['verification.source_signature', ({ verification }) => verification.sourceSignature ?? null],
  ['revision', ({ revision }) => `${revision}`],
  ['signed_at', (metric) => signed(metric)?.signedAt.toISOString() ?? null],
  ['key_id', keyId],
];

export const metricColumns = columns.map(([name]) => name);

export function metricCells(metric: MetricRevision): (string | null)[] {
  return columns.map(([, cell]) => cell(metric));
}

export function* metricCsv(metrics: readonly Metric[]): Generator<string> {
  yield csvLine(metricColumns);
  for (const metric of metrics) yield csvLine(metricCells(metric));
}

/** Removes the apostrophe that `csvLine` added. Returns undefined for an empty cell. */
export const plainCell = (cell: string | undefined): string | undefined =>
  cell?.replace(/^'/, '') || undefined;

/** Returns the import record of a row. Malformed cells stay unchanged, and the core rejects them. */
export function metricFieldsOf(text: (column: string) => string | undefined): object {
  const verification = {
    verified: toFlag(text('verification.verified')),
    signed: toFlag(text('verification.signed')),
    signature: text('verification.signature'),
  };
  const companyId = text('company_id');
  const amount = text('raw_value');
  // In an export, a revision without an amount means that the value was voided.
  const isVoided = amount === undefined && text('revision') !== undefined;
  const hasVerification = Object.values(verification).some((each) => each !== undefined);
  return {
    type: 'metric',
    ...(companyId !== undefined && { company_id: companyId }),
    key: text('key'),
    label: text('label'),
    currency: text('currency') ?? null,
    period: text('period'),
    raw_value: isVoided ? null : toAmount(amount),
    value: text('value'),
    void_reason: text('void_reason'),
    category: text('category'),
    confidence: text('confidence'),
    as_of: text('as_of'),
    source: {
      system: text('source.system'),
      method: text('source.method'),
      last_synced: text('source.last_synced'),
      signature: text('verification.source_signature'),
    },
    verification: hasVerification ? verification : undefined,
    revision: toCount(text('revision')),
  };
}

const toAmount = (text = '') =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? JSON.rawJSON(text) : text;
const toFlag = (text?: string) => (text === 'true' ? true : text === 'false' ? false : text);
const toCount = (text?: string) =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : text;
