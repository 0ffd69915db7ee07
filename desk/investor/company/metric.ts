import { AccessError, loadData, type Metric } from '#core';
import { loadVerifier } from '../../assets/verifier.ts';
import { metricFacts, newestOf, revisionTable } from '../../components/data-tables.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { bdi, type Html, html } from '../../html.ts';
import { metricName, shownValue } from '../../metric-words.ts';
import { historyFigure } from '../../plot/history.ts';
import { marksOf } from '../../plot/marks.ts';
import { forInvestors } from '../../route.ts';
import { changeMark, changeOf } from '../figures.ts';
import { companyPath, historyPath } from '../paths.ts';
import { signatureCell, verdictPlace, verdictWords } from './figures.ts';
import { readIfShared } from './read.ts';

/** The page checks only the newest signatures, because signatures are long. The file for download has all of them. */
const maxChecked = 12;

const keyOf = ({ request }: InvestorContext): string =>
  (request.params as { readonly key: string }).key;

function newestTable(history: readonly Metric[], { language }: InvestorContext): Html {
  const { data, figures } = language.m;
  const columns = [
    data.period,
    numbers(data.value),
    numbers(figures.company.change),
    numbers(data.revision),
    figures.company.signature,
  ];
  const rows = history
    .map((metric, index) => {
      const change = changeOf(history.slice(Math.max(0, index - 1), index + 1));
      return [
        formatPeriod(metric.period),
        bdi(shownValue(metric, language)),
        change === null ? '–' : bdi(language.format.change(change)),
        language.format.number(metric.revision),
        signatureCell(metric, language.m),
      ];
    })
    .slice(-maxChecked)
    .toReversed();
  return table({ label: data.table(figures.company.newest), columns, rows });
}

/** Loading the page counts as one read. */
async function metricPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, id: companyId, language } = context;
  const { data: words, figures } = language.m;
  const key = keyOf(context);
  const [company, revisions, { address }] = await Promise.all([
    useCases.investor.readPortfolioCompany(caller, { companyId }),
    useCases.investor.readMetricRevisions(caller, { companyId, key }).then(loadData),
    loadVerifier(),
  ]);
  const history = newestOf(revisions);
  const newest = history.at(-1);
  if (newest === undefined) throw new AccessError('metric_not_found');
  return {
    title: metricName(newest.label, language),
    section: 'portfolio',
    live: { companyId },
    scripts: ['figures.js', 'plot.js'],
    parent: { path: companyPath(companyId), title: company.name },
    main: html`<div class="beside"><div>
<div class="pair"><section aria-labelledby="history-of"><div class="bar"><h2 id="history-of">${words.history}</h2>
<p><a href="${historyPath(companyId, [key], 'csv')}" download>${figures.company.csvOf}</a> · <a href="${historyPath(companyId, [key], 'xlsx')}" download>${figures.company.xlsxOf}</a> · <a href="${historyPath(companyId, [key], 'csv', 'yes')}" download>${figures.company.csvSigned}</a></p></div>
<div class="tall">${historyFigure('history', history, language, { more: changeMark(history, context), marks: marksOf(revisions) })}</div></section>
<section aria-labelledby="newest"><h2 id="newest">${figures.company.newest}</h2>
${verdictPlace(address, figures.verify)}${newestTable(history, context)}</section></div>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context, figures.company.revisionsHint)}</section></div>
<aside><section class="panel" aria-labelledby="about"><h2 id="about">${figures.company.about}</h2>
${metricFacts(newest, context)}</section></aside></div>
${verdictWords(figures.verify)}`,
  };
}

export const companyMetricRoutes = [
  forInvestors.read('/portfolio/:id/metrics/:key', readIfShared(metricPage)),
];
