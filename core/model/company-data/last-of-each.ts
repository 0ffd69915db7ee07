import { nameOfSource } from './data-limits.ts';
import type { ImportRecord, VoidRecord } from './import-record.ts';
import { laterName, type RecordedName } from './metric.ts';

type AnyRecord = ImportRecord | VoidRecord;

/** Returns the company of a record. */
export function companyIdOf(record: AnyRecord): string {
  switch (record.type) {
    case 'company':
      return record.company.id;
    case 'source':
      return record.source.companyId;
    case 'account':
      return record.account.companyId;
    case 'portfolio':
      return record.membership.companyId;
    case 'void':
      return record.void.companyId;
    default:
      return record.metric.companyId;
  }
}

/** Names the thing that a record is about, unique within its company. A void is about the value that it takes back. */
function thingOf(record: AnyRecord): string {
  switch (record.type) {
    case 'company':
      return record.type;
    case 'metric':
      return `value ${record.metric.key} ${record.metric.period}`;
    case 'void':
      return `value ${record.void.key} ${record.void.period}`;
    case 'revision':
      return `revision ${record.metric.key} ${record.metric.period} ${record.revision}`;
    case 'source':
      return `source ${nameOfSource(record.source.provider, record.source.accountName)}`;
    case 'account':
      return `account ${record.account.id}`;
    case 'portfolio':
      return `portfolio ${record.membership.investorId}`;
  }
}

/**
 * Picks the last of several records about one thing of a company, and gives each metric one name: the name in its last
 * records. So records that are applied in parts have the same result as all of them at once.
 */
export class LastOfEach {
  readonly #lasts = new Map<string, number>();
  readonly #names = new Map<string, RecordedName>();

  /** @param position of the record among all records of the company */
  add(position: number, record: AnyRecord): void {
    this.#lasts.set(thingOf(record), position);
    if (!('metric' in record)) return;
    const { metric } = record;
    this.#names.set(metric.key, laterName(this.#names.get(metric.key), metric));
  }

  /** Returns the record with the name of its metric, or null if a later record is about the same thing. */
  pick<Picked extends AnyRecord>(position: number, record: Picked): Picked | null {
    if (this.#lasts.get(thingOf(record)) !== position) return null;
    if (!('metric' in record)) return record;
    const { defaultedFields: _, ...metric } = record.metric;
    return { ...record, metric: { ...metric, ...this.#names.get(metric.key) } };
  }
}

/** Returns the last line about each thing. Expects lines of one company. */
export function lastOfEach<Line extends { readonly record: AnyRecord }>(
  lines: readonly Line[],
): readonly Line[] {
  const lasts = new LastOfEach();
  for (const [position, { record }] of lines.entries()) lasts.add(position, record);
  return lines.flatMap((line, position) => {
    const record = lasts.pick(position, line.record);
    return record === null ? [] : [{ ...line, record }];
  });
}
