import { ArchiveUnavailable, type ReceivedRecord } from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { formatExactly, formatRelative } from './time.ts';

const protocols = {
  rest: 'REST',
  graphql: 'GraphQL',
  trpc: 'tRPC',
  mcp: 'MCP',
  desk: null,
} as const;

/** What happened, to be read after the name of the investor. */
function whatHappened({ resource, metricKey, outcome }: ReceivedRecord, m: Messages): string {
  const { didRead, wasRefused, resources, outcomes } = m.activity;
  const what = resources[resource](metricKey);
  return outcome === 'allowed' ? didRead(what) : wasRefused(what, outcomes[outcome]);
}

/** Who did it, with the way to all that the same investor did. */
const who = ({ investorId, investorName, contactEmail }: ReceivedRecord): Html =>
  html`<a href="/desk/activity?investor=${encodeURIComponent(investorId)}"><bdi>${investorName}</bdi></a>${contactEmail === null ? nothing : html` (<bdi>${contactEmail}</bdi>)`}`;

/** A record in plain words, for a timeline. */
export function recordItem(record: ReceivedRecord, language: Language): Html {
  const { m, format } = language;
  const way = protocols[record.protocol] ?? m.activity.atDesk;
  const { outcome, count, occurredAt } = record;
  return html`<li${outcome === 'allowed' ? nothing : html` class="refused"`}>${who(record)} ${whatHappened(record, m)}
<p class="hint">${formatExactly(occurredAt, language)} · ${way}${count > 1 ? ` · ${m.activity.times(format.number(count))}` : nothing}</p></li>`;
}

/** A record in one line, for a short list. */
export const recordLine = (record: ReceivedRecord, now: Date, language: Language): Html =>
  html`<li><span>${who(record)} ${whatHappened(record, language.m)}</span>
<span class="hint">${formatRelative(record.occurredAt, now, language)}</span></li>`;

/** Records that cannot be read at the moment are no reason to show nothing else: null stands for them. */
export async function unlessArchiveIsAway<List>(list: Promise<List>): Promise<List | null> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ArchiveUnavailable) return null;
    throw error;
  }
}
