import { hasPermission } from '#core';
import { buttonLink, submitButton } from '../../components/buttons.ts';
import { emptyState } from '../../components/lists.ts';
import { fillMessage, formatPeriod } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, hidden, html, nothing, success } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { comparePath } from '../compare/choice.ts';
import { askSeveralPath, portfolioPath } from '../paths.ts';
import { stateTabs, viewForm } from './form.ts';
import { readViewPart, type ViewPart } from './read.ts';
import { companyTable, mostCommonPeriod } from './table.ts';
import { addressOf, isSortedByFigures, readView, type View } from './view.ts';

/** One year of monthly values, and the value from one year before the newest. */
const valuesOfSparkline = 13;

function pager(
  view: View,
  { page, pageCount }: ViewPart,
  { language: { m, format } }: InvestorContext,
): Html | string {
  if (pageCount === 1) return nothing;
  const words = m.figures.portfolio;
  const link = (rel: 'prev' | 'next', text: string, to: number) =>
    html`<a class="button" rel="${rel}" href="${addressOf({ ...view, page: to })}">${text}</a>`;
  return html`<nav class="actions" aria-label="${words.pages}">${page === 1 ? nothing : link('prev', words.previous, page - 1)}
<span>${words.page(format.number(page), format.number(pageCount))}</span>
${page === pageCount ? nothing : link('next', words.next, page + 1)}</nav>`;
}

function tableBar(view: View, { figures }: ViewPart, { language: { m } }: InvestorContext): Html {
  const commonPeriod = mostCommonPeriod(figures);
  const words = m.figures.portfolio;
  const file = (form: 'csv' | 'xlsx') =>
    addressOf({ ...view, page: 1 }, `${portfolioPath}.${form}`);
  return html`<div class="bar"><p class="hint">${commonPeriod === undefined ? nothing : fillMessage(words.usualHint, formatPeriod(commonPeriod))}
${isSortedByFigures(view) ? words.sortedByFigures : nothing}</p>
<p>${words.download} <a href="${file('csv')}" download>${m.figures.company.csv}</a> <a href="${file('xlsx')}" download>${m.figures.company.xlsx}</a></p></div>`;
}

function choiceForm(view: View, part: ViewPart, context: InvestorContext): Html {
  const { caller, language } = context;
  const words = language.m.figures.portfolio;
  const [key] = part.figures.keys;
  const compare = html`<button class="button" formaction="${comparePath}">${words.compareChosen}</button>`;
  return html`<form method="get" action="${askSeveralPath}">${key === undefined ? nothing : hidden('metric', key)}
<label class="option" hidden><input type="checkbox" data-choose="company"> ${words.chooseAll}</label>
${companyTable(part, view, context)}
<p class="actions chosen"><span class="hint">${words.chosen}</span> ${hasPermission(caller, 'ask') ? submitButton(language.m.figures.ask.title, 'primary') : nothing} ${compare}</p></form>`;
}

function empty({ search, state }: View, { language: { m } }: InvestorContext): Html {
  const words = m.figures.portfolio;
  if (search === undefined && state === undefined) {
    return emptyState({ title: words.empty, text: words.emptyHint });
  }
  const action = buttonLink(portfolioPath, m.activity.clear);
  return emptyState({ title: words.noneFound, text: words.noneFoundHint, action });
}

/** Any site can link to this page with any number in the address, so the notice doesn't show that number. */
const sentNotice = ({ query, language: { m } }: InvestorContext, { totals }: ViewPart) =>
  query.asked !== undefined && totals.waiting > 0
    ? success(m.figures.portfolio.severalSent)
    : nothing;

/**
 * Refreshes only the access state of each company, because each load of figures counts as a read. If the table is
 * sorted by figures, the page isn't refreshed, because sorting needs another read.
 */
async function portfolioPage(context: InvestorContext): Promise<Page> {
  const { language, query } = context;
  const words = language.m.figures.portfolio;
  const view = readView(context);
  const isPart = query.part !== undefined;
  const part = await readViewPart(context, view, {
    page: view.page,
    values: isPart ? 0 : valuesOfSparkline,
  });
  const isEmpty = part.companies.length === 0;
  const isNothing = isEmpty && addressOf({ ...view, page: 1 }) === portfolioPath;
  return {
    title: language.m.nav.portfolio,
    section: 'portfolio',
    scripts: ['choose.js'],
    ...(isSortedByFigures(view) ? { isStill: true } : { live: { isPartly: true } }),
    main: html`${sentNotice(context, part)}<p class="lead">${words.lead}</p>
${isNothing ? nothing : html`${stateTabs(view, part.totals, context)}${viewForm(view, part.figures, context)}`}
${isEmpty ? empty(view, context) : html`${tableBar(view, part, context)}${choiceForm(view, part, context)}`}
${pager(view, part, context)}`,
  };
}

export const portfolioRoutes = [forInvestors.read('/portfolio', portfolioPage)];
