import { nameOfSource } from './data-limits.ts';
import type { ImportRecord, VoidRecord } from './import-record.ts';
import { mergeNames, type RecordedName } from './metric.ts';

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

/** Identifies the described item, such as one value. A void record has the same text as the value it voids. */
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
 * Picks the last record about each item, such as one value of a metric. All picked records of a metric get the last
 * name of this metric. So the result is the same whether the records are stored in batches or all at once.
 */
export class LastOfEach {
  readonly #lastPositions = new Map<string, number>();
  readonly #names = new Map<string, RecordedName>();

  add(position: number, record: AnyRecord): void {
    this.#lastPositions.set(subjectOf(record), position);
    if (!('metric' in record)) return;
    const { metric } = record;
    this.#names.set(metric.key, mergeNames(this.#names.get(metric.key), metric));
  }

  /** Returns null if a later record describes the same item. A metric record gets the metric's last name. */
  pick<Picked extends AnyRecord>(position: number, record: Picked): Picked | null {
    if (this.#lastPositions.get(subjectOf(record)) !== position) return null;
    if (!('metric' in record)) return record;
    const { defaultedFields: _, ...metric } = record.metric;
    return { ...record, metric: { ...metric, ...this.#names.get(metric.key) } };
  }
}

/** Returns the last line about each item. All lines must belong to one company. */
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
