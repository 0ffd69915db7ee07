import { type Metric, readOwnKeyId } from '#core';
import { csvLine } from '#http';

type Cell = (metric: Metric) => string | null;

const signed = (metric: Metric) => (metric.verification.signed ? metric.verification : null);

function keyId(metric: Metric): string | null {
  const signature = signed(metric)?.signature;
  return signature === undefined ? null : readOwnKeyId(signature);
}

/** By the names of the contract, with a point for what lies inside; the last three are in the signature, too. */
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

/** For the document. */
export const csvDescription =
  'A line for each value, after a header of names as in JSON, with a point for what lies inside (`source.system`), and `revision`, `signed_at` and `key_id`. `raw_value` has every digit. A cell that a spreadsheet would take for a formula has an apostrophe before it; take away the one that a cell begins with. **An addition of this service.**';

export const metricColumns = columns.map(([name]) => name);

export function metricCells(metric: Metric): (string | null)[] {
  return columns.map(([, cell]) => cell(metric));
}

export function* metricCsv(metrics: readonly Metric[]): Generator<string> {
  yield csvLine(metricColumns);
  for (const metric of metrics) yield csvLine(metricCells(metric));
}
