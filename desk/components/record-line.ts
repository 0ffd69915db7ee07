import type { Metric, ReceivedRecord } from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { metricName } from '../metric-words.ts';
import { formatExactly } from './time.ts';

/** Each side has its own name for the desk. */
export const protocolNames = (desk: string) =>
  ({ rest: 'REST', graphql: 'GraphQL', trpc: 'tRPC', mcp: 'MCP', desk }) as const;

/** The names of metrics, by key. */
export type Labels = ReadonlyMap<string, string>;

export const labelsOf = (
  metrics: readonly Pick<Metric, 'key' | 'label'>[],
  language: Language,
): Labels => new Map(metrics.map(({ key, label }) => [key, metricName(label, language)]));

/** Follows the name of the investor. A metric without a label is shown by its key. */
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

export function recordItem(record: ReceivedRecord, labels: Labels, language: Language): Html {
  const { m, format } = language;
  const way = protocolNames(m.activity.atDesk)[record.protocol];
  const { outcome, count, occurredAt, contactEmail } = record;
  return html`<li${outcome === 'allowed' ? nothing : html` class="refused"`}><div${contactEmail === null ? html` class="sentence"` : nothing}>${contactEmail && html`<bdi>${contactEmail}</bdi> `}${whatHappened(record, labels, m)}</div>
<span class="hint">${formatExactly(occurredAt, language)} · ${way}${count > 1 ? ` · ${m.activity.times(format.number(count))}` : nothing}</span></li>`;
}
