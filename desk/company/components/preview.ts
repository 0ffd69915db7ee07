import {
  type GrantableScope,
  isLive,
  type Metric,
  type MetricHistory,
  type ReceivedRequestDetails,
  type ScopePreview,
  undecidedScopes,
} from '#core';
import { accountTable, sourceTable } from '../../components/data-tables.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod, formatRelative } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { bdi, type Html, html, nothing } from '../../html.ts';
import { inLanguage } from '../../metric-words.ts';
import { sparkline } from '../../plot/sparkline.ts';
import { metricPath } from '../data/paths.ts';

/** A preview with more rows starts folded, so that the content below it stays visible. */
const openedAtMost = 12;

/** Shows the data that the investor can read now, and the data that the undecided scopes would add. */
export async function previews(
  { accessRequest, readableScopes }: ReceivedRequestDetails,
  context: ContactContext,
): Promise<Html> {
  if (!isLive(accessRequest)) return html``;
  const { m } = context.language;
  const isGrant = accessRequest.status === 'approved';
  const undecided = undecidedScopes(accessRequest);
  const [reads, wants] = await Promise.all([
    isGrant ? sectionOf('reads', m.request.reads, readableScopes, context) : html``,
    undecided.length === 0
      ? html``
      : sectionOf('wants', isGrant ? m.request.wantsMore : m.request.wants, undecided, context),
  ]);
  return html`${reads}${wants}`;
}

async function sectionOf(
  id: string,
  title: string,
  scopes: readonly GrantableScope[],
  context: ContactContext,
): Promise<Html> {
  const { caller, useCases, language } = context;
  const { m } = language;
  const shown = await Promise.all(
    scopes.map((scope) => useCases.company.previewScope(caller, { scope })),
  );
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p class="hint">${shown.length === 0 ? m.grants.onHold : m.request.previewHint}</p>
${shown.map((preview, index) => previewOf(preview, index === 0, context))}</section>`;
}

function previewOf(preview: ScopePreview, isFirst: boolean, context: ContactContext): Html {
  const { m, format } = context.language;
  const words = m.request;
  const { scope, count } = preview;
  const { name, what } = m.scopes[scope];
  const isOpen = isFirst && count <= openedAtMost;
  const hidden = count - preview.items.length;
  return html`<details class="box"${isOpen ? html` open data-open` : nothing}><summary><strong>${name}</strong>
<span class="hint">${count === 0 ? words.previewNone : freshness(preview, context)}</span></summary>
<p class="hint sentence">${what}</p>
${tableOf(preview, words.preview(name), context)}
${hidden > 0 ? html`<p class="hint">${m.data.upload.more(format.number(hidden))}</p>` : nothing}
</details>`;
}

function freshness(
  preview: ScopePreview,
  { language, now }: Pick<ContactContext, 'language' | 'now'>,
): Html {
  const { data, request: words } = language.m;
  const synced =
    preview.scope === 'metrics:read'
      ? preview.items.map(({ source }) => source.lastSynced)
      : preview.items.map(({ lastSyncedAt }) => lastSyncedAt);
  const instants = synced.map((each) => each.getTime()).toSorted((one, other) => one - other);
  const [oldest = 0, newest = 0] = [instants[0], instants.at(-1)];
  const ago = (time: number) => formatRelative(new Date(time), now, language);
  const isAlike = areAlike(synced, { language, now });
  return html`${language.format.number(preview.count)} · ${data.synced} ${ago(newest)}${isAlike ? nothing : html`, ${words.oldestSynced} ${ago(oldest)}`}`;
}

/**
 * Returns true if all times have the same relative text, such as "2 days ago". The page then shows that text only once.
 */
const areAlike = (
  instants: readonly Date[],
  { language: { format }, now }: Pick<ContactContext, 'language' | 'now'>,
): boolean => new Set(instants.map((each) => format.relative(each, now))).size <= 1;

function tableOf(preview: ScopePreview, label: string, context: ContactContext): Html | null {
  switch (preview.scope) {
    case 'metrics:read':
      return metricsTable(preview.items, preview.histories, label, context);
    case 'accounts:read':
      return accountTable(preview.items, context, label);
    case 'sources:read':
      return sourceTable(preview.items, context, label);
  }
}

function metricsTable(
  metrics: readonly Metric[],
  histories: readonly MetricHistory[],
  label: string,
  { language, now }: ContactContext,
): Html | null {
  if (metrics.length === 0) return null;
  const { m, format } = language;
  const { data, request: words } = m;
  const historyOf = new Map(histories.map(({ key, values }) => [key, values]));
  const valuesOf = (count: number) => words.values(count, format.number(count));
  const counts = new Set(metrics.map(({ key }) => historyOf.get(key)?.length ?? 0));
  // If all rows have the same number of values, the heading shows that number once.
  const [usual = null] = counts.size === 1 ? counts : [];
  const isAlike = areAlike(
    metrics.map(({ source }) => source.lastSynced),
    { language, now },
  );
  const shown = metrics.map((metric) => inLanguage(metric, language));
  const course = (key: string) => {
    const values = (historyOf.get(key) ?? []).map((metric) => inLanguage(metric, language));
    const [oldest, newest] = [values[0], values.at(-1)];
    if (oldest === undefined || newest === undefined) return nothing;
    const inWords = words.trendOf(
      `${oldest.value}, ${oldest.period}`,
      `${newest.value}, ${newest.period}`,
    );
    const line = sparkline(values, inWords);
    return usual === null
      ? html`${line}<span class="hint">${valuesOf(values.length)}</span>`
      : html`${line}`;
  };
  return table({
    label,
    columns: [
      data.metric,
      numbers(data.value),
      words.period,
      usual === null ? data.history : words.trendWith(valuesOf(usual)),
      data.source,
    ],
    rows: shown.map(({ key, label, value, period, source }) => [
      html`<a href="${metricPath(key)}"><bdi>${label}</bdi></a>`,
      bdi(value),
      formatPeriod(period),
      course(key),
      html`${bdi(source.system)}${isAlike ? nothing : html`<br><span class="hint">${formatRelative(source.lastSynced, now, language)}</span>`}`,
    ]),
  });
}
