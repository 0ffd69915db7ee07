import { nameOfSource } from './data-limits.ts';
import type { ImportRecord, VoidRecord } from './import-record.ts';
import { laterName, type RecordedName } from './metric.ts';

type AnyRecord = ImportRecord | VoidRecord;

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

/** Returns the identity of a record's subject within its company. A void has the identity of the voided value. */
function subjectOf(record: AnyRecord): string {
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
 * Picks the last record about each subject, and gives each metric the name in its last record. The result is the same
 * if the records are applied in parts or all at once.
 */
export class LastOfEach {
  readonly #lasts = new Map<string, number>();
  readonly #names = new Map<string, RecordedName>();

  add(position: number, record: AnyRecord): void {
    this.#lasts.set(subjectOf(record), position);
    if (!('metric' in record)) return;
    const { metric } = record;
    this.#names.set(metric.key, laterName(this.#names.get(metric.key), metric));
  }

  /** Returns the record with the name of its metric, or null if a later record has the same subject. */
  pick<Picked extends AnyRecord>(position: number, record: Picked): Picked | null {
    if (this.#lasts.get(subjectOf(record)) !== position) return null;
    if (!('metric' in record)) return record;
    const { defaultedFields: _, ...metric } = record.metric;
    return { ...record, metric: { ...metric, ...this.#names.get(metric.key) } };
  }
}

/** Returns the last line about each subject. Expects lines of one company. */
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
