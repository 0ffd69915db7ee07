import { randomUUID } from 'node:crypto';
import { grantableScopes, type PortfolioCompany } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { checkbox } from '../../components/fields.ts';
import { emptyState } from '../../components/lists.ts';
import { ifMay } from '../../components/role-note.ts';
import type { InvestorContext, Page, PageResult } from '../../context.ts';
import { alert, type Html, hidden, html, nothing } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { type AskErrors, type Asked, askForm, asking } from '../ask-form.ts';
import { isOvertaken, sendRequest } from '../company/ask.ts';
import { openCompany } from '../company/state.ts';
import { askSeveralPath, companyPath, portfolioPath } from '../paths.ts';
import { allOf, companiesPerPage } from './view.ts';

/** A page of the portfolio. */
const maxCompanies = companiesPerPage;

const isSent = ({ request }: InvestorContext): boolean => request.method === 'POST';

/** The companies of the portfolio among those that are named; null if too many are named. */
async function findChosen(context: InvestorContext): Promise<readonly PortfolioCompany[] | null> {
  const { caller, useCases, form } = context;
  const ids = isSent(context) ? form.all('company') : allOf(context, 'company');
  if (ids.length > maxCompanies) return null;
  const page = await useCases.investor.pagePortfolio(caller, { ids, first: ids.length });
  return page.edges.map(({ company }) => company);
}

/** The page that a form leads to can't be loaded again, so it names the page to go back to. */
const frameOf = ({ language: { m } }: InvestorContext) =>
  ({
    title: m.figures.ask.several.title,
    section: 'portfolio',
    path: portfolioPath,
    parent: { path: portfolioPath, title: m.figures.portfolio.title },
  }) as const;

function notChosen(chosen: readonly PortfolioCompany[] | null, context: InvestorContext): Page {
  const { m, format } = context.language;
  const words = m.figures.ask.several;
  const action = buttonLink(portfolioPath, words.back);
  return {
    ...frameOf(context),
    status: 422,
    main:
      chosen === null
        ? emptyState({ title: words.tooMany(format.number(maxCompanies)), action })
        : emptyState({ title: words.none, text: words.noneHint, action }),
  };
}

async function formPage(context: InvestorContext, errors?: AskErrors): Promise<Page> {
  const chosen = await findChosen(context);
  if (chosen === null || chosen.length === 0) return notChosen(chosen, context);
  const { form, language } = context;
  const words = language.m.figures.ask.several;
  const companies = html`<fieldset><legend>${words.companies}</legend>
<div class="long-list">${chosen.map(({ id, name }) => checkbox('company', id, true, html`<bdi>${name}</bdi>`))}</div></fieldset>`;
  return {
    ...frameOf(context),
    status: errors === undefined ? 200 : 422,
    main: html`<p class="lead">${words.lead}</p>
${ifMay(
  context,
  'ask',
  () =>
    html`<div class="panel">${askForm(
      {
        action: askSeveralPath,
        button: words.send,
        offered: grantableScopes,
        chosen: { scopes: grantableScopes.slice(0, 1), purpose: null },
        errors,
        fields: html`${hidden('id', form.text('id') ?? randomUUID())}${companies}`,
      },
      context,
    )}</div>`,
)}`,
  };
}

type Outcome = 'asked' | 'covered' | 'overtaken';

/** Asks one company for the chosen scopes that it hasn't been asked for. */
async function askOne(
  companyId: string,
  { scopes, purpose }: Asked,
  context: InvestorContext,
): Promise<Outcome> {
  const opened = await openCompany(context, companyId);
  const missing = scopes.filter((scope) => opened.askable.includes(scope));
  if (missing.length === 0) return 'covered';
  const id = context.form.text('id') ?? '';
  try {
    await sendRequest({ scopes: missing, purpose }, `${id}_${companyId}`, opened, context);
    return 'asked';
  } catch (error) {
    if (isOvertaken(error)) return 'overtaken';
    throw error;
  }
}

const ask = asking(formPage, async (asked, context): Promise<PageResult> => {
  const { charge } = context;
  const chosen = await findChosen(context);
  if (chosen === null || chosen.length === 0) return notChosen(chosen, context);
  if (chosen.length > 1) await charge(chosen.length - 1);
  const outcomes: { company: PortfolioCompany; outcome: Outcome }[] = [];
  for (const company of chosen)
    outcomes.push({ company, outcome: await askOne(company.id, asked, context) });
  return outcomes.every(({ outcome }) => outcome === 'asked')
    ? { to: `${portfolioPath}?access=waiting&asked` }
    : outcomePage(outcomes, context);
});

/** The companies by outcome. */
function outcomePage(
  outcomes: readonly { company: PortfolioCompany; outcome: Outcome }[],
  context: InvestorContext,
): Page {
  const words = context.language.m.figures.ask.several;
  const group = (outcome: Outcome): Html | string => {
    const companies = outcomes.filter((each) => each.outcome === outcome);
    return companies.length === 0
      ? nothing
      : html`<section aria-labelledby="${outcome}"><h2 id="${outcome}">${words.outcomes[outcome]}</h2>
<ul>${companies.map(({ company: { id, name } }) => html`<li><a href="${companyPath(id)}"><bdi>${name}</bdi></a></li>`)}</ul></section>`;
  };
  return {
    ...frameOf(context),
    main: html`${alert(words.notAll, words.notAllHint)}
${group('overtaken')}${group('covered')}${group('asked')}
<p class="actions">${buttonLink(portfolioPath, words.back)}</p>`,
  };
}

export const askSeveralRoutes = [
  forInvestors.get('/portfolio/ask', (context) => formPage(context)),
  forInvestors.post('/portfolio/ask', ask),
];
