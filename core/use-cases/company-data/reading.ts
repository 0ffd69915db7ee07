import { isMetricKey } from '../../model/company-data/metric.ts';
import type { Resource } from '../../model/consent/access-record.ts';
import { termsKey } from '../../model/consent/terms.ts';
import type { VersionedCompany } from '../../ports/company-data.ts';
import type { AllowedRead, ReadName } from '../consent/gate.ts';

export type DataRead<Data> = ReadName & { readonly part?: string } & (Load<Data> | LoadAt<Data>);

interface Load<Data> {
  load(company: VersionedCompany): Promise<Data>;
}

interface LoadAt<Data> {
  /** Reads data that also depends on the time. The same data version and `state` always give the same data. */
  loadAt(
    company: VersionedCompany,
    now: Date,
  ): Promise<{ readonly state: string; readonly data: Data }>;
}

export interface Reading<Data> {
  /** The cache key of the encoded data. Differs for each version, state and terms. */
  readonly name: string;
  readonly resource: Resource;
  /** True if callers can request any number of variants, such as date ranges. They are cached separately. */
  readonly hasUnlimitedVariants: boolean;
  /** Returns the data after the access record is committed. */
  load(): Promise<Data>;
  /** Returns the data at once. It must pass through `release` before it is sent. */
  loadBeforeCommit(): Promise<Data>;
  /** Returns the value, or throws its error, after the access record is committed. */
  resolveAfterCommit<Value>(value: Promise<Value>): Promise<Value>;
}

export const loadData = <Data>(reading: Reading<Data>): Promise<Data> => reading.load();

export function createReading<Data>(
  read: DataRead<Data>,
  allowed: AllowedRead,
): Reading<Data> | Promise<Reading<Data>> {
  const { company, whenRecorded } = allowed;
  return 'load' in read
    ? readingOf(read, company, '', whenRecorded, () => read.load(company))
    : createReadingAt(read, allowed);
}

async function createReadingAt<Data>(
  read: ReadName & LoadAt<Data>,
  { company, decidedAt, whenRecorded }: AllowedRead,
): Promise<Reading<Data>> {
  await whenRecorded;
  const { state, data } = await read.loadAt(company, decidedAt);
  return readingOf(read, company, state, whenRecorded, async () => data);
}

function readingOf<Data>(
  { resource, part = '', metricKey = '' }: DataRead<Data>,
  { companyId, dataVersion, terms }: VersionedCompany,
  state: string,
  whenRecorded: Promise<void>,
  loadBeforeCommit: () => Promise<Data>,
): Reading<Data> {
  const resolveAfterCommit = <Value>(value: Promise<Value>) => waitForRecord(whenRecorded, value);
  return {
    // A metric key may contain any character, even a space. So it comes last, and the name stays unique.
    name: `${companyId} ${dataVersion} ${termsKey(terms)} ${resource} ${state} ${part} ${metricKey}`,
    resource,
    hasUnlimitedVariants: part !== '' || (metricKey !== '' && !isMetricKey(metricKey)),
    load: () => resolveAfterCommit(loadBeforeCommit()),
    loadBeforeCommit,
    resolveAfterCommit,
  };
}

async function waitForRecord<Value>(
  whenRecorded: Promise<void>,
  value: Promise<Value>,
): Promise<Value> {
  // The value can fail before the record is committed. The caller must get this error only after the commit.
  value.catch(() => undefined);
  await whenRecorded;
  return value;
}
