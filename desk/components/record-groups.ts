import type { ReceivedRecord } from '#core';
import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { type Labels, recordItem } from './record-line.ts';
import { formatRelative } from './time.ts';

/** The records of one investor in a list, the newest first, and how many reads and refusals they prove. */
interface RecordGroup {
  readonly newest: ReceivedRecord;
  readonly records: readonly ReceivedRecord[];
  readonly read: number;
  readonly refused: number;
  /** On how many days of UTC there was any. */
  readonly days: number;
}

/** By investor, in the order in which each comes first. */
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

/** How often an investor read, on how many days, and how often it was refused. */
function howOften({ read, refused, days }: RecordGroup, { m, format }: Language): string {
  const words = m.activity;
  const parts = [
    ...(read === 0 ? [] : [words.readTimes(read, format.number(read))]),
    ...(refused === 0 ? [] : [words.refusedTimes(refused, format.number(refused))]),
  ];
  if (read + refused === 1) return parts.join('');
  return words.onDays(format.list(parts), days, format.number(days));
}

/** What an investor did, in a line that opens: each read by itself. */
export const groupItem = (
  group: RecordGroup,
  labels: Labels,
  now: Date,
  language: Language,
): Html =>
  html`<details class="box"><summary><strong><bdi>${group.newest.investorName}</bdi></strong> ${howOften(group, language)}
<span class="hint">${language.m.activity.last} ${formatRelative(group.newest.occurredAt, now, language)}</span></summary>
<ol class="timeline">${group.records.map((record) => recordItem(record, labels, language))}</ol></details>`;

/** The same in one line, for a short list; it leads to all that the investor did. */
export const groupLine = (group: RecordGroup, now: Date, language: Language): Html =>
  html`<li><span><a href="/desk/activity?investor=${encodeURIComponent(group.newest.investorId)}"><bdi>${group.newest.investorName}</bdi></a> ${howOften(group, language)}</span>
<span class="hint">${formatRelative(group.newest.occurredAt, now, language)}</span></li>`;
