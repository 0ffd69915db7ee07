import { AccessError, type Metric, maxReasonLength, may } from '#core';
import { inTurn } from '#http';
import { entryOf, metricFacts, newestOf, revisionTable } from '../../components/data-tables.ts';
import { fieldError, ownerFields } from '../../components/fields.ts';
import type { ContactContext, Page, PageResult } from '../../context.ts';
import { type Html, html, nothing, success } from '../../html.ts';
import { historyFigure } from '../../plot/history.ts';
import { forContacts } from '../../route.ts';
import { dataPath, metricPath } from './paths.ts';

/** Takes back the value of one period. */
function voidForm(history: readonly Metric[], context: ContactContext, error?: string): Html {
  const { caller, form, id, language } = context;
  const { voiding: words } = language.m.data;
  if (history.length === 0 || !may(caller, 'bring_data')) return html``;
  const chosen = form.text('period');
  const options = history
    .toReversed()
    .map(
      ({ period, value }) =>
        html`<option value="${period}"${period === chosen ? html` selected` : nothing}>${period}: ${value}</option>`,
    );
  return html`<details class="box"${error === undefined ? nothing : html` open`}><summary>${words.title}</summary>
<form method="post" action="${metricPath(id)}/void" class="stack">${ownerFields(context)}
<p class="hint">${words.hint}</p>
<label for="period">${words.period}</label>
<select id="period" name="period">${options}</select>
<label for="reason">${words.reason}</label>
${fieldError('reason', error)}
<textarea id="reason" name="reason" rows="3" maxlength="${maxReasonLength}" dir="auto"${error === undefined ? nothing : html` aria-invalid="true" aria-describedby="reason-error"`}>${form.text('reason') ?? ''}</textarea>
<p><button class="danger">${words.confirm}</button></p></form></details>`;
}

async function metricPage(context: ContactContext, error?: string): Promise<Page> {
  const { caller, useCases, id, language, query } = context;
  const { data: words } = language.m;
  const [revisions, entries] = await Promise.all([
    useCases.company.readOwnMetricRevisions(caller, { key: id }),
    useCases.company.listOwnMetricEntries(caller, { key: id }),
  ]);
  const last = revisions.at(-1);
  if (last === undefined) throw new AccessError('metric_not_found');
  const history = newestOf(revisions);
  // Undefined if every value is voided.
  const newest = history.at(-1);
  return {
    title: last.label,
    section: 'data',
    status: error === undefined ? 200 : 422,
    path: metricPath(id),
    isStill: query.voided !== undefined,
    parent: { path: dataPath, title: words.title },
    main: html`${query.voided === undefined ? nothing : success(words.voiding.done)}
${newest === undefined ? nothing : metricFacts(newest, context, entryOf(entries, newest))}
<div class="pair tables"><section aria-labelledby="history-of"><h2 id="history-of">${words.history}</h2>
<div class="tall">${historyFigure('history', history, language)}</div></section>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context, words.revisionsHint, entries)}</section></div>
${voidForm(history, context, error)}`,
  };
}

/** Pushes a void record. */
async function voidValue(context: ContactContext): Promise<PageResult> {
  const { caller, useCases, form, id, language } = context;
  const [period, reason] = [form.text('period'), form.text('reason')];
  const record = { type: 'void', key: id, period, ...(reason !== undefined && { reason }) };
  try {
    await inTurn(caller.companyId, () =>
      useCases.company.pushRecords(caller, { records: [record] }),
    );
  } catch (error) {
    if (!(error instanceof AccessError && error.code === 'invalid_records')) throw error;
    return metricPage(context, language.m.data.voiding.refused);
  }
  return { to: `${metricPath(id)}?voided` };
}

export const metricRoutes = [
  forContacts.get('/data/metrics/:id', (context) => metricPage(context)),
  forContacts.post('/data/metrics/:id/void', voidValue),
];
