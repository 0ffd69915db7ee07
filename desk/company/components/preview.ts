import {
  type AccessTerms,
  awaitsDecision,
  type GrantableScope,
  isLive,
  type Metric,
  type MetricHistory,
  proposedScopes,
  type ReceivedRequestDetails,
  type ScopePreview,
  undecidedScopes,
} from '#core';
import { accountTable, sourceTable } from '../../components/data-tables.ts';
import type { SentLimits } from '../../components/limit-fields.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod, formatRelative } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { bdi, type Html, html, nothing } from '../../html.ts';
import { inLanguage } from '../../metric-words.ts';
import { sparkline } from '../../plot/sparkline.ts';
import { metricPath } from '../data/paths.ts';
import { firstApproval, readTerms, widestTerms } from '../limits.ts';

/** A preview with more rows starts folded, so that the content below it stays visible. */
const openedAtMost = 12;

interface Part {
  readonly id: 'reads' | 'wants';
  readonly title: string;
  readonly hint: string;
  readonly scopes: readonly GrantableScope[];
  /** The scopes that the form selects. The page marks all other scopes. */
  readonly ticked: readonly string[];
  readonly limits: SentLimits;
}

/**
 * Previews what the investor can read now, and what an approval would add, as the form is filled in. The script live.js
 * replaces the previews after each change of the form.
 */
export async function previews(
  details: ReceivedRequestDetails,
  context: ContactContext,
): Promise<Html> {
  if (!isLive(details.accessRequest)) return html``;
  const sections = await Promise.all(
    partsOf(details, context).map((part) => sectionOf(part, context)),
  );
  return html`<div id="preview">${sections}</div>`;
}

function partsOf(
  { accessRequest: request, readableScopes }: ReceivedRequestDetails,
  { form, language: { m } }: ContactContext,
): readonly Part[] {
  const { request: words } = m;
  const { status, approvedTerms, pendingTerms, pausedAt } = request;
  const isGrant = status === 'approved';
  const isNarrowed = form.text('decision') === 'narrow';
  const reads: Part = {
    id: 'reads',
    title: isNarrowed || pausedAt !== null ? words.couldRead : words.reads,
    hint: readableScopes.length === 0 ? m.grants.onHold : words.previewHint,
    scopes: readableScopes,
    ticked: isNarrowed ? form.all('scopes') : readableScopes,
    limits: isNarrowed ? readTerms(form, 'narrow', request) : { terms: approvedTerms },
  };
  if (!awaitsDecision(request)) return [reads];
  const isApproved = form.text('decision') === 'approve';
  const first = firstApproval(request);
  const terms = first === null ? widestTerms('approve', request) : first.terms;
  const ticked = isApproved ? form.all('scopes') : (first?.scopes ?? proposedScopes(request));
  // Wider limits also apply to the metrics that the investor can already read.
  const widened = readableScopes.filter((scope) => pendingTerms && scope === 'metrics:read');
  const wants: Part = {
    id: 'wants',
    title: isGrant ? words.wantsMore : words.wants,
    hint: words.previewHint,
    scopes: [...widened, ...undecidedScopes(request)],
    ticked: [...widened, ...ticked],
    limits: isApproved ? readTerms(form, 'approve', request) : { terms },
  };
  return isGrant ? [reads, wants] : [wants];
}

async function sectionOf(part: Part, context: ContactContext): Promise<Html> {
  const { id, title, limits } = part;
  const { limits: words } = context.language.m;
  const content =
    'terms' in limits
      ? await previewsOf(part, limits.terms, context)
      : html`<p class="error">${limits.field === 'keys' ? words.metricsError : words.firstPeriodError}</p>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>`;
}

async function previewsOf(
  { scopes, ticked, hint }: Part,
  terms: AccessTerms | null,
  context: ContactContext,
): Promise<Html> {
  const { caller, useCases } = context;
  const shown = await Promise.all(
    scopes.map((scope) => useCases.company.previewScope(caller, { scope, terms })),
  );
  return html`<p class="hint">${hint}</p>
${shown.map((preview, index) => previewOf(preview, index === 0, ticked.includes(preview.scope), context))}`;
}

function previewOf(
  preview: ScopePreview,
  isFirst: boolean,
  isTicked: boolean,
  context: ContactContext,
): Html {
  const { m, format } = context.language;
  const words = m.request;
  const { scope, count } = preview;
  const { name, what } = m.scopes[scope];
  const isOpen = isFirst && count <= openedAtMost;
  const hidden = count - preview.items.length;
  return html`<details class="box"${isOpen ? html` open data-open` : nothing}><summary><strong>${name}</strong>
<span class="hint">${count === 0 ? words.previewNone : freshness(preview, context)}</span>${isTicked ? nothing : html` <span class="badge">${words.notTicked}</span>`}</summary>
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

/** Returns true if all times have the same relative text, such as "2 days ago". The page shows that text only once. */
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
