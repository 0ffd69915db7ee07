import type { PortfolioFigures, PortfolioPage } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { emptyState } from '../../components/lists.ts';
import { formatPeriod, sayWith } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { maxLines } from '../../plot/lines.ts';
import { forInvestors } from '../../route.ts';
import { pathOf } from '../compare/choice.ts';
import { sharesMetrics } from '../figures.ts';
import { portfolioPath } from '../paths.ts';
import { type Filters, maxMetrics, readFilters, toPage, withPlace } from './filters.ts';
import { filterForm } from './form.ts';
import { companyTable, usualPeriod } from './table.ts';

/** So many values are the course of a year. */
const valuesOfSparkline = 13;

/** The figures of the companies of a page that share them; of the others nothing is asked. */
async function readFigures(
  { caller, useCases, charge }: InvestorContext,
  { edges }: PortfolioPage,
  { metrics }: Filters,
): Promise<PortfolioFigures> {
  const companyIds = edges
    .filter(({ company }) => sharesMetrics(company))
    .map(({ company }) => company.id);
  // The first is the point that every page costs.
  if (companyIds.length > 1) await charge(companyIds.length - 1);
  return useCases.investor.readPortfolioFigures(caller, {
    companyIds,
    keys: metrics.length === 0 ? null : [...metrics],
    metrics: maxMetrics,
    values: valuesOfSparkline,
  });
}

function pager(page: PortfolioPage, filters: Filters, { language: { m } }: InvestorContext) {
  const { edges, hasNextPage, hasPreviousPage } = page;
  const words = m.figures.portfolio;
  const [first, last] = [edges.at(0)?.cursor, edges.at(-1)?.cursor];
  const link = (rel: 'prev' | 'next', text: string, place: Parameters<typeof withPlace>[1]) =>
    html`<a class="button" rel="${rel}" href="${withPlace(filters, place)}">${text}</a>`;
  const previous =
    hasPreviousPage && first ? link('prev', words.previous, { before: first }) : nothing;
  const next = hasNextPage && last ? link('next', words.next, { after: last }) : nothing;
  return previous || next ? html`<p class="actions">${previous} ${next}</p>` : nothing;
}

/** The way to see the first of the metrics over the companies that are shown with it. */
function compareLink({ companies, keys }: PortfolioFigures, { language: { m } }: InvestorContext) {
  const companyIds = [...companies.keys()].slice(0, maxLines);
  if (companyIds.length < 2) return nothing;
  return buttonLink(pathOf({ key: keys[0], companyIds }), m.figures.compare.link);
}

/** What the figures of the table have in common, and the way to compare them. */
function tableBar(figures: PortfolioFigures, context: InvestorContext) {
  const usual = usualPeriod(figures);
  if (usual === undefined) return nothing;
  const { usualHint } = context.language.m.figures.portfolio;
  return html`<div class="bar"><p class="hint">${sayWith(usualHint, formatPeriod(usual))}</p>${compareLink(figures, context)}</div>`;
}

function empty({ search, access }: Filters, { language: { m } }: InvestorContext): Html {
  const words = m.figures.portfolio;
  if (search === undefined && access === undefined) {
    return emptyState({ title: words.empty, text: words.emptyHint });
  }
  const action = buttonLink(portfolioPath, m.activity.clear);
  return emptyState({ title: words.noneFound, text: words.noneFoundHint, action });
}

const noFigures: PortfolioFigures = {
  metrics: [],
  keys: [],
  companies: new Map(),
  refusals: new Map(),
};

/**
 * The companies of the portfolio with their last figures. An open page follows how each access stands, and asks for itself
 * without figures: each time that these are shown is a read that each of the companies sees.
 */
async function portfolioPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, query } = context;
  const words = language.m.figures.portfolio;
  const filters = readFilters(context);
  const page = await useCases.investor.pagePortfolio(caller, toPage(filters));
  const isPart = query.part !== undefined;
  const figures = isPart ? noFigures : await readFigures(context, page, filters);
  return {
    title: words.title,
    section: 'portfolio',
    live: { isPartly: true },
    main: html`<p class="lead">${words.lead}</p>
${page.edges.length === 0 && withPlace(filters) === portfolioPath ? nothing : filterForm(filters, figures, context)}
${page.edges.length === 0 ? empty(filters, context) : html`${tableBar(figures, context)}${companyTable(page, figures, context)}`}
${pager(page, filters, context)}`,
  };
}

export const portfolioRoutes = [forInvestors.get('/portfolio', portfolioPage)];
