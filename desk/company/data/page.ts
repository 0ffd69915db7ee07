import type { Account, Metric, Source } from '#core';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod, formatRelative } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing, success } from '../../html.ts';
import { forContacts } from '../../route.ts';
import { dataPath, metricPath } from './paths.ts';

const bdi = (text: string): Html => html`<bdi>${text}</bdi>`;

/** A part of the data, or that there is none of it. */
function section(id: string, title: string, empty: string, shown: Html | null): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${shown ?? html`<p class="empty">${empty}</p>`}</section>`;
}

function metricTable(metrics: readonly Metric[], { language, now }: ContactContext): Html | null {
  const { data: words } = language.m;
  if (metrics.length === 0) return null;
  const columns = [
    words.metric,
    numbers(words.value),
    words.period,
    words.verified,
    words.confidence,
    words.source,
    words.synced,
  ];
  const rows = metrics.map(({ key, label, value, period, verification, confidence, source }) => [
    html`<a href="${metricPath(key)}"><bdi>${label}</bdi></a><br><code class="hint">${key}</code>`,
    bdi(value),
    formatPeriod(period),
    html`<span class="badge ${verification.verified ? 'good' : nothing}">${verification.verified ? words.yes : words.no}</span>`,
    bdi(confidence),
    html`<bdi>${source.system}</bdi> <span class="hint">(<bdi>${source.method}</bdi>)</span>`,
    formatRelative(source.lastSynced, now, language),
  ]);
  return table({ label: words.table(words.metrics), columns, rows });
}

function sourceTable(sources: readonly Source[], { language, now }: ContactContext): Html | null {
  const { data: words } = language.m;
  if (sources.length === 0) return null;
  const rows = sources.map(({ provider, accountName, status, lastSyncedAt }) => [
    bdi(provider),
    bdi(accountName),
    html`<span class="badge ${status === 'connected' ? 'good' : nothing}"><bdi>${status}</bdi></span>`,
    formatRelative(lastSyncedAt, now, language),
  ]);
  const columns = [words.source, words.account, words.status, words.synced];
  return table({
    label: words.table(words.sources),
    columns,
    rows,
  });
}

function accountTable(accounts: readonly Account[], context: ContactContext): Html | null {
  const { language, now } = context;
  const { data: words } = language.m;
  if (accounts.length === 0) return null;
  const rows = accounts.map(({ name, lastFour, balance, type, provider, lastSyncedAt }) => [
    html`<bdi>${name}</bdi>${lastFour === null ? nothing : html` <span class="hint">…<bdi>${lastFour}</bdi></span>`}`,
    bdi(balance),
    words.accountTypes[type],
    bdi(provider),
    formatRelative(lastSyncedAt, now, language),
  ]);
  const columns = [words.account, numbers(words.balance), words.type, words.source, words.synced];
  return table({ label: words.table(words.accounts), columns, rows });
}

/** What came of an upload, as the address tells it. */
function done({ query, language: { m, format } }: ContactContext): Html | string {
  const counts = /^(\d{1,6})-(\d{1,6})-(\d{1,6})$/.exec(query.done ?? '');
  if (counts === null) return nothing;
  const [created = '', revised = '', unchanged = ''] = counts
    .slice(1)
    .map((count) => format.number(Number(count)));
  return success(m.data.upload.done(created, revised, unchanged));
}

/** What investors with a grant see, for the company itself. */
export const dataRoutes = [
  forContacts.get('/data', async (context) => {
    const { caller, useCases, language } = context;
    const { data: words } = language.m;
    const [metrics, sources, accounts] = await Promise.all([
      useCases.company.readOwnMetrics(caller, {}),
      useCases.company.readOwnSources(caller, {}),
      useCases.company.readOwnAccounts(caller, {}),
    ]);
    return {
      title: words.title,
      section: 'data',
      isStill: context.query.done !== undefined,
      main: html`${done(context)}<p class="lead">${words.lead}</p>
<p class="inline"><a class="button primary" href="${dataPath}/upload">${words.upload.link}</a></p>
${section('metrics', words.metrics, words.noMetrics, metricTable(metrics, context))}
${section('sources', words.sources, words.noSources, sourceTable(sources, context))}
${section('accounts', words.accounts, words.noAccounts, accountTable(accounts, context))}`,
    };
  }),
];
