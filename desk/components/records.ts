import type { Metric, ReceivedRecord } from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { metricName } from '../metric-words.ts';
import { formatExactly, formatRelative } from './time.ts';

/** The protocol names in texts. Companies and investors see different names for the desk. */
export const protocolNames = (desk: string) =>
  ({ rest: 'REST', graphql: 'GraphQL', trpc: 'tRPC', mcp: 'MCP', desk }) as const;

export type Labels = ReadonlyMap<string, string>;

export const labelsOf = (
  metrics: readonly Pick<Metric, 'key' | 'label'>[],
  language: Language,
): Labels => new Map(metrics.map(({ key, label }) => [key, metricName(label, language)]));

/** Returns the text that follows the investor's name. A metric without a label appears with its key. */
function whatHappened(
  { resource, metricKey, outcome }: ReceivedRecord,
  labels: Labels,
  m: Messages,
): string {
  const { didRead, wasRefused, resources, outcomes } = m.activity;
  const what = resources[resource](
    metricKey === null ? null : (labels.get(metricKey) ?? metricKey),
  );
  return outcome === 'allowed' ? didRead(what) : wasRefused(what, outcomes[outcome]);
}

function recordItem(record: ReceivedRecord, labels: Labels, language: Language): Html {
  const { m, format } = language;
  const way = protocolNames(m.activity.atDesk)[record.protocol];
  const { outcome, count, occurredAt, contactEmail } = record;
  return html`<li${outcome === 'allowed' ? nothing : html` class="refused"`}><div${contactEmail === null ? html` class="sentence"` : nothing}>${contactEmail && html`<bdi>${contactEmail}</bdi> `}${whatHappened(record, labels, m)}</div>
<span class="hint">${formatExactly(occurredAt, language)} · ${way}${count > 1 ? ` · ${m.activity.times(format.number(count))}` : nothing}</span></li>`;
}

interface RecordGroup {
  readonly newest: ReceivedRecord;
  readonly records: readonly ReceivedRecord[];
  readonly read: number;
  readonly refused: number;
  /** The number of UTC dates with a record. */
  readonly days: number;
}

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
