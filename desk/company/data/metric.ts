import { AccessError, hasPermission, loadData, type Metric, type MetricRevision } from '#core';
import { entryOf, metricFacts, newestOf, revisionTable } from '../../components/data-tables.ts';
import { groupError, ownerFields } from '../../components/fields.ts';
import type { ContactContext, Page, PageResult } from '../../context.ts';
import { type Html, html, nothing, success } from '../../html.ts';
import { metricName, shownValue } from '../../metric-words.ts';
import { historyFigure } from '../../plot/history.ts';
import { marksOf } from '../../plot/marks.ts';
import { forContacts } from '../../route.ts';
import {
  enterForm,
  enterValue,
  isOfReason,
  pushNow,
  type RejectedEntry,
  reasonField,
} from './enter.ts';
import { dataPath, metricPath } from './paths.ts';

interface FailedVoid {
  readonly error?: string;
  readonly reasonError?: string;
}

interface Refused {
  readonly rejectedEntry?: RejectedEntry;
  readonly failedVoid?: FailedVoid;
}

function voidForm(
  history: readonly Metric[],
  context: ContactContext,
  failedVoid?: FailedVoid,
): Html {
  const { caller, form, id, language } = context;
  const { voiding: words } = language.m.data;
  if (history.length === 0 || !hasPermission(caller, 'enter_data')) return html``;
  const chosen = form.text('period');
  const options = history
    .toReversed()
    .map(
      (metric) =>
        html`<option value="${metric.period}"${metric.period === chosen ? html` selected` : nothing}>${language.format.date(new Date(metric.period))}: ${shownValue(metric, language)}</option>`,
    );
  return html`<details class="box"${failedVoid === undefined ? nothing : html` open`}><summary>${words.title}</summary>
<form method="post" action="${metricPath(id)}/void" class="stack">${ownerFields(context)}
<p class="hint">${words.hint}</p>
${groupError('void', failedVoid?.error)}
<label for="period">${language.m.data.value}</label>
<select id="period" name="period">${options}</select>
${reasonField('reason', context, failedVoid?.reasonError)}
<p><button class="danger">${words.confirm}</button></p></form></details>`;
}

const readRevisions = ({ caller, useCases, id }: ContactContext) =>
  useCases.company.readOwnMetricRevisions(caller, { key: id }).then(loadData);

async function metricPage(
  context: ContactContext,
  { rejectedEntry, failedVoid }: Refused = {},
): Promise<Page> {
  const { caller, useCases, id, language, query } = context;
  const { data: words } = language.m;
  const [revisions, entries] = await Promise.all([
    readRevisions(context),
    useCases.company.listOwnMetricEntries(caller, { key: id }),
  ]);
  const last = lastOf(revisions);
  const history = newestOf(revisions);
  // Undefined if all values of the metric are voided.
  const newest = history.at(-1);
  const done = doneWords(context);
  return {
    title: metricName(last.label, language),
    section: 'data',
    scripts: ['plot.js'],
    status: rejectedEntry === undefined && failedVoid === undefined ? 200 : 422,
    path: metricPath(id),
    isStill: query.done !== undefined,
    parent: { path: dataPath, title: language.m.nav.data },
    main: html`${done === undefined ? nothing : success(done)}
${newest === undefined ? nothing : metricFacts(newest, context, entryOf(entries, newest))}
<div class="pair tables"><section aria-labelledby="history-of"><h2 id="history-of">${words.history}</h2>
<div class="tall">${historyFigure('history', history, language, { marks: marksOf(revisions) })}</div></section>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context, words.revisionsHint, entries)}</section></div>
${enterForm(revisions, context, rejectedEntry)}
${voidForm(history, context, failedVoid)}`,
  };
}

/** @throws AccessError `metric_not_found` */
function lastOf(revisions: readonly MetricRevision[]): MetricRevision {
  const last = revisions.at(-1);
  if (last === undefined) throw new AccessError('metric_not_found');
  return last;
}

function doneWords({ query, language }: ContactContext): string | undefined {
  const { entering, voiding } = language.m.data;
  return new Map([
    ['entered', entering.done],
    ['voided', voiding.done],
  ]).get(query.done ?? '');
}

async function enter(context: ContactContext): Promise<PageResult> {
  const revisions = await readRevisions(context);
  lastOf(revisions);
  const entered = await enterValue(context, revisions);
  return 'to' in entered ? entered : metricPage(context, { rejectedEntry: entered });
}

async function voidValue(context: ContactContext): Promise<PageResult> {
  const { form, id, language } = context;
  const { entering, voiding: words } = language.m.data;
  const [period, reason] = [form.text('period'), form.text('reason')];
  const refuse = (failedVoid: FailedVoid) => metricPage(context, { failedVoid });
  if (reason === undefined) return refuse({ reasonError: words.reasonMissing });
  const records = [{ type: 'void', key: id, period, reason }];
  try {
    await pushNow(context, { records, reason });
  } catch (error) {
    if (isOfReason(error)) return refuse({ reasonError: entering.reasonRefused });
    if (!(error instanceof AccessError && error.code === 'invalid_records')) throw error;
    return refuse({ error: words.refused });
  }
  return { to: `${metricPath(id)}?done=voided` };
}

export const metricRoutes = [
  forContacts.get('/data/metrics/:id', (context) => metricPage(context)),
  forContacts.post('/data/metrics/:id/enter', enter),
  forContacts.post('/data/metrics/:id/void', voidValue),
];
