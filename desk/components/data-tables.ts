import {
  type Account,
  labelOf,
  type Metric,
  type MetricEntry,
  type MetricRevision,
  type Source,
} from '#core';
import type { DeskContext } from '../context.ts';
import { bdi, fact, type Html, html, nothing } from '../html.ts';
import type { Language, Messages } from '../messages/index.ts';
import { balanceOf, inLanguage, knownWord } from '../metric-words.ts';
import { isCorrected } from '../plot/marks.ts';
import { emptyState } from './lists.ts';
import { numbers, table } from './table.ts';
import { formatExactly, formatPeriod, formatRelative } from './time.ts';

type TableContext = Pick<DeskContext, 'language' | 'now'>;

/** Keeps the page short. Most users look for the newest rows. */
const maxRows = 400;

const tones = new Map([
  ['connected', 'good'],
  ['stale', 'pending'],
  ['reauthorization_required', 'pending'],
  ['failed', 'bad'],
]);

export const confidenceName = (confidence: string, { data }: Messages): Html =>
  bdi(knownWord(data.confidences, confidence));

export const verifiedBadge = (
  { verified }: Metric['verification'],
  { data: { yes, no } }: Messages,
): Html => html`<span class="badge ${verified ? 'good' : nothing}">${verified ? yes : no}</span>`;

const categoryName = (category: string, { standard }: Messages): string =>
  Object.hasOwn(standard.categories, category)
    ? knownWord(standard.categories, category)
    : labelOf(category);

export function metricFacts(
  { key, source, verification, confidence, category }: Metric,
  { language, now }: TableContext,
  entry?: MetricEntry,
): Html {
  const { m } = language;
  const { data: words } = m;
  return html`<dl class="facts">${fact(words.key, html`<code>${key}</code>`)}
${fact(words.source, sourceOf(source, m))}
${fact(words.synced, formatRelative(source.lastSynced, now, language))}
${fact(words.verified, verification.verified ? words.yes : words.no)}
${fact(words.confidence, confidenceName(confidence, m))}
${fact(words.category, bdi(categoryName(category, m)))}
${entry === undefined ? nothing : fact(words.enteredBy, enteredCell(entry, language))}</dl>`;
}

const personOf = ({ actor }: MetricEntry): Html => bdi(actor.name ?? actor.id ?? '');

function enteredCell(entry: MetricEntry, language: Language): Html {
  const { method, reason, enteredAt } = entry;
  const way = method === null ? nothing : html`${knownWord(language.m.data.methods, method)}, `;
  return html`${personOf(entry)}<br><span class="hint">${way}${formatExactly(enteredAt, language)}</span>${reason === null ? nothing : html`<br><bdi>${reason}</bdi>`}`;
}

/** The cell of a voided value already shows the reason. */
const withoutVoidReason = (entry: MetricEntry, { rawValue }: MetricRevision): MetricEntry =>
  rawValue === null ? { ...entry, reason: null } : entry;

export const entryOf = (
  entries: readonly MetricEntry[],
  of: Pick<Metric, 'period' | 'revision'>,
): MetricEntry | undefined =>
  entries.find(({ period, revision }) => period === of.period && revision === of.revision);

export const sourceOf = ({ system, method }: Metric['source'], { data }: Messages): Html =>
  html`${bdi(system)} <span class="hint until">${bdi(knownWord(data.methods, method))}</span>`;

export function dataSection(
  id: string,
  title: string,
  empty: string | Parameters<typeof emptyState>[0],
  shown: Html | null,
): Html {
  const content = typeof empty === 'string' ? { title: empty } : empty;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${shown ?? emptyState(content)}</section>`;
}

function statusOf(status: string, { request }: Messages): Html {
  const statusText = Object.entries(request.sourceStatuses).find(([each]) => each === status)?.[1];
  const { name, meaning } = statusText ?? { name: status, meaning: '' };
  return html`<span class="badge ${tones.get(status) ?? nothing}"><bdi>${name}</bdi></span>${meaning && html` <span class="hint">${meaning}</span>`}`;
}

/** Returns the newest value of each period, oldest period first. Omits voided values. */
export const newestOf = (revisions: readonly MetricRevision[]): readonly Metric[] =>
  [...new Map(revisions.map((each) => [each.period, each])).values()].filter(
    (each) => each.rawValue !== null,
  );

export function sourceTable(
  sources: readonly Source[],
  { language, now }: TableContext,
  label?: string,
): Html | null {
  const { data: words } = language.m;
  if (sources.length === 0) return null;
  const rows = sources.map(({ provider, accountName, status, lastSyncedAt }) => [
    bdi(provider),
    bdi(accountName),
    statusOf(status, language.m),
    formatRelative(lastSyncedAt, now, language),
  ]);
  const columns = [words.source, words.account, language.m.status, words.synced];
  return table({ label: label ?? words.table(words.sources), columns, rows, isBlocks: true });
}

export function accountTable(
  accounts: readonly Account[],
  { language, now }: TableContext,
  label?: string,
): Html | null {
  const { data: words } = language.m;
  if (accounts.length === 0) return null;
  const rows = accounts.map((account) => {
    const { name, lastFour, type, provider, lastSyncedAt } = account;
    return [
      html`<bdi>${name}</bdi>${lastFour === null ? nothing : html` <span class="hint until">…<bdi>${lastFour}</bdi></span>`}`,
      bdi(balanceOf(account, language)),
      words.accountTypes[type],
      bdi(provider),
      formatRelative(lastSyncedAt, now, language),
    ];
  });
  const columns = [words.account, numbers(words.balance), words.type, words.source, words.synced];
  return table({ label: label ?? words.table(words.accounts), columns, rows, isBlocks: true });
}

const valueCell = (revision: MetricRevision, { m: { data } }: Language): Html =>
  revision.rawValue === null
    ? html`<span class="badge">${data.voided}</span>${revision.voidReason === null ? nothing : html`<br><bdi class="hint">${revision.voidReason}</bdi>`}`
    : bdi(revision.value);

/**
 * Lists all values of the corrected periods, newest first, including voided values.
 *
 * @param entries the people who entered the values, shown only to the company
 */
export function revisionTable(
  revisions: readonly MetricRevision[],
  context: TableContext,
  hint = context.language.m.data.revisionsHint,
  entries: readonly MetricEntry[] = [],
): Html {
  const { language, now } = context;
  const { data: words } = language.m;
  const byPeriod = Map.groupBy(revisions, ({ period }) => period);
  const revised = [...byPeriod.values()].filter(isCorrected).flat();
  if (revised.length === 0) return html`<p class="hint">${words.noRevisions}</p>`;
  const rows = revised
    .toReversed()
    .slice(0, maxRows)
    .map((each) => {
      const { period, revision, source, verification } = each;
      const entry = entryOf(entries, each);
      return [
        formatPeriod(period),
        valueCell(inLanguage(each, language), language),
        language.format.number(revision),
        bdi(source.system),
        formatRelative(source.lastSynced, now, language),
        verification.signed ? formatExactly(verification.signedAt, language) : words.unsigned,
        ...(entries.length === 0
          ? []
          : [
              entry === undefined ? nothing : enteredCell(withoutVoidReason(entry, each), language),
            ]),
      ];
    });
  const columns = [
    words.period,
    numbers(words.value),
    numbers(words.revision),
    words.source,
    words.synced,
    words.signed,
    ...(entries.length === 0 ? [] : [words.enteredBy]),
  ];
  return html`<p class="hint">${hint}</p>${table({ label: words.table(words.revisions), columns, rows, isBlocks: true })}`;
}
