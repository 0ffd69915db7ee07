import type { ReceivedRecord } from '#core';
import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { type Labels, recordItem } from './record-line.ts';
import { formatRelative } from './time.ts';

interface RecordGroup {
  readonly newest: ReceivedRecord;
  readonly records: readonly ReceivedRecord[];
  readonly read: number;
  readonly refused: number;
  /** The number of UTC dates with a record. */
  readonly days: number;
}

/** Groups the records by investor, in the order of their newest records. */
export function groupRecords(records: readonly ReceivedRecord[]): readonly RecordGroup[] {
  const byInvestor = Map.groupBy(records, ({ investorId }) => investorId);
  return [...byInvestor.values()].flatMap((own) => {
    const [newest] = own;
    if (newest === undefined) return [];
    const read = own.filter(({ outcome }) => outcome === 'allowed').length;
    const proved = own.reduce((sum, { count }) => sum + count, 0);
    const days = new Set(own.map(({ occurredAt }) => occurredAt.toISOString().slice(0, 10))).size;
    return [{ newest, records: own, read, refused: proved - read, days }];
  });
}

function howOften({ read, refused, days }: RecordGroup, { m, format }: Language): string {
  const words = m.activity;
  const parts = [
    ...(read === 0 ? [] : [words.readTimes(read, format.number(read))]),
    ...(refused === 0 ? [] : [words.refusedTimes(refused, format.number(refused))]),
  ];
  if (read + refused === 1) return parts.join('');
  return words.onDays(format.list(parts), days, format.number(days));
}

export const groupItem = (
  group: RecordGroup,
  labels: Labels,
  now: Date,
  language: Language,
): Html =>
  html`<details class="box"><summary><strong><bdi>${group.newest.investorName}</bdi></strong> ${howOften(group, language)}
<span class="hint">${language.m.activity.last} ${formatRelative(group.newest.occurredAt, now, language)}</span></summary>
<ol class="timeline">${group.records.map((record) => recordItem(record, labels, language))}</ol></details>`;

export const groupLine = (group: RecordGroup, now: Date, language: Language): Html =>
  html`<li><span><a href="/desk/activity?investor=${encodeURIComponent(group.newest.investorId)}"><bdi>${group.newest.investorName}</bdi></a> ${howOften(group, language)}</span>
<span class="hint">${formatRelative(group.newest.occurredAt, now, language)}</span></li>`;
