import { AccessError, type Metric } from '#core';
import { loadVerifier } from '../../assets/verifier.ts';
import { newestOf, revisionTable } from '../../components/data-tables.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod, formatRelative } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { fact, type Html, html } from '../../html.ts';
import { historyFigure } from '../../plot/history.ts';
import { forInvestors } from '../../route.ts';
import { companyPath, historyPath, portfolioPath } from '../paths.ts';
import { whileShared } from './read.ts';
import { signatureCell, verdictPlace, verdictWords } from './verification.ts';

/** A signature is long, so of many values the newest are checked on the page; a file has them all. */
const maxChecked = 12;

const keyOf = ({ request }: InvestorContext): string =>
  (request.params as { readonly key: string }).key;

function newestTable(history: readonly Metric[], { language }: InvestorContext): Html {
  const { data, figures } = language.m;
  const columns = [
    data.period,
    numbers(data.value),
    figures.company.signature,
    numbers(data.revision),
  ];
  const rows = history
    .toReversed()
    .slice(0, maxChecked)
    .map((metric) => [
      formatPeriod(metric.period),
      html`<bdi>${metric.value}</bdi>`,
      signatureCell(metric, language.m),
      language.format.number(metric.revision),
    ]);
  return table({ label: data.table(figures.company.newest), columns, rows });
}

/** One metric of a company: its whole history, what was corrected in it, and what vouches for it. One read, one record. */
async function metricPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, id: companyId, language, now } = context;
  const { data: words, figures } = language.m;
  const key = keyOf(context);
  const [company, revisions, { address }] = await Promise.all([
    useCases.investor.readPortfolioCompany(caller, { companyId }),
    useCases.investor.readMetricRevisions(caller, { companyId, key }),
    loadVerifier(),
  ]);
  const history = newestOf(revisions);
  const newest = history.at(-1);
  if (newest === undefined) throw new AccessError('metric_not_found');
  const { source, verification, confidence, category } = newest;
  return {
    title: newest.label,
    section: 'portfolio',
    live: { companyId },
    scripts: ['figures.js'],
    main: html`<p><a href="${portfolioPath}">${figures.company.all}</a> · <a href="${companyPath(companyId)}"><bdi>${company.name}</bdi></a></p>
<div class="beside"><div>
<section aria-labelledby="history-of"><h2 id="history-of">${words.history}</h2>
${historyFigure('history', history, language)}
<p class="actions"><a class="button" href="${historyPath(companyId, [key], 'csv')}" download>${figures.company.csvOf}</a>
<a class="button" href="${historyPath(companyId, [key], 'xlsx')}" download>${figures.company.xlsxOf}</a></p></section>
<section aria-labelledby="newest"><h2 id="newest">${figures.company.newest}</h2>
${verdictPlace(address, figures.verify)}${newestTable(history, context)}</section>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context)}</section></div>
<aside><section class="panel" aria-labelledby="about"><h2 id="about">${figures.company.about}</h2>
<dl class="facts">${fact(words.key, html`<code>${key}</code>`)}
${fact(words.source, html`<bdi>${source.system}</bdi> (<bdi>${source.method}</bdi>)`)}
${fact(words.synced, formatRelative(source.lastSynced, now, language))}
${fact(words.verified, verification.verified ? words.yes : words.no)}
${fact(words.confidence, html`<bdi>${confidence}</bdi>`)}
${fact(words.category, html`<bdi>${category}</bdi>`)}</dl></section></aside></div>
${verdictWords(figures.verify)}`,
  };
}

export const companyMetricRoutes = [
  forInvestors.get('/portfolio/:id/metrics/:key', whileShared(metricPage)),
];
