import { randomUUID } from 'node:crypto';
import { AccessError, coversTerms, grantableScopes, noLimits, type PortfolioCompany } from '#core';
import { type CallerRefusal, errorAnswers, logIfInternalError, refusalOf, setRefusal } from '#http';
import { buttonLink } from '../../components/buttons.ts';
import { checkbox } from '../../components/fields.ts';
import { emptyState } from '../../components/lists.ts';
import { showIfAllowed } from '../../components/role-note.ts';
import type { InvestorContext, Page, PageResult } from '../../context.ts';
import { alert, type Html, hidden, html, nothing } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { type AccessRequestFields, type AskErrors, askForm, askFormHandler } from '../ask-form.ts';
import { isOvertaken, sendRequest } from '../company/ask.ts';
import { openCompany } from '../company/state.ts';
import { askSeveralPath, companyPath, portfolioPath } from '../paths.ts';
import { allOf, companiesPerPage } from './view.ts';

const maxCompanies = companiesPerPage;

const isSent = ({ request }: InvestorContext): boolean => request.method === 'POST';

interface Chosen {
  readonly companies: readonly PortfolioCompany[];
  /** The IDs of chosen companies that aren't in the portfolio. */
  readonly gone: readonly string[];
}

/** Returns null if too many companies are chosen. */
async function findChosen(context: InvestorContext): Promise<Chosen | null> {
  const { caller, useCases, form } = context;
  const ids = isSent(context) ? form.all('company') : allOf(context, 'company');
  if (ids.length > maxCompanies) return null;
  const page = await useCases.investor.pagePortfolio(caller, { ids, first: ids.length });
  const companies = page.edges.map(({ company }) => company);
  const found = new Set(companies.map(({ id }) => id));
  return { companies, gone: [...new Set(ids).difference(found)] };
}

/** The browser can't load the response to a form again, so `path` names the page to open after a change of language. */
const frameOf = ({ language: { m } }: InvestorContext) =>
  ({
    title: m.figures.ask.several.title,
    section: 'portfolio',
    path: portfolioPath,
    parent: { path: portfolioPath, title: m.nav.portfolio },
  }) as const;

function notChosen(chosen: Chosen | null, context: InvestorContext): Page {
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

/** If the form is shown again, it keeps its ID. A second submission then doesn't repeat access requests. */
function companiesForm(
  companies: readonly PortfolioCompany[],
  chosen: AccessRequestFields,
  context: InvestorContext,
  errors?: AskErrors,
): Html {
  const { form, language } = context;
  const words = language.m.figures.ask.several;
  const fields = html`${hidden('id', form.text('id') ?? randomUUID())}<fieldset><legend>${words.companies}</legend>
<div class="long-list">${companies.map(({ id, name }) => checkbox('company', id, true, html`<bdi>${name}</bdi>`))}</div></fieldset>`;
  return html`<div class="panel">${askForm(
    {
      action: askSeveralPath,
      button: words.send,
      offered: grantableScopes,
      chosen,
      errors,
      fields,
    },
    context,
  )}</div>`;
}

async function formPage(context: InvestorContext, errors?: AskErrors): Promise<Page> {
  const chosen = await findChosen(context);
  if (chosen === null || chosen.companies.length === 0) return notChosen(chosen, context);
  const first = { scopes: grantableScopes.slice(0, 1), purpose: null, terms: noLimits };
  return {
    ...frameOf(context),
    status: errors === undefined ? 200 : 422,
    main: html`<p class="lead">${context.language.m.figures.ask.several.lead}</p>
${showIfAllowed(context, 'ask', () => companiesForm(chosen.companies, first, context, errors))}`,
  };
}

type Outcome = 'asked' | 'covered' | 'overtaken' | 'failed';

interface CompanyOutcome {
  readonly company: PortfolioCompany;
  readonly outcome: Outcome;
}

/** These errors would occur for each company, so sending the form again doesn't help. */
const lastingErrors: ReadonlySet<string> = new Set([
  'invalid_api_key',
  'insufficient_scope',
  'insufficient_role',
]);

const limitError = 'rate_limit_exceeded';

const concernsAll = ({ code }: AccessError): boolean =>
  lastingErrors.has(code) || code === limitError;

async function askOne(
  companyId: string,
  fields: AccessRequestFields,
  context: InvestorContext,
): Promise<Outcome> {
  const id = context.form.text('id') ?? '';
  try {
    const opened = await openCompany(context, companyId);
    const { request, requestableScopes } = opened;
    const scopes = fields.scopes.filter((scope) => requestableScopes.includes(scope));
    const hasTerms = request !== null && coversTerms(request, fields.terms);
    if (scopes.length === 0 && hasTerms) return 'covered';
    await sendRequest({ ...fields, scopes }, `${id}_${companyId}`, opened, context);
    return 'asked';
  } catch (error) {
    if (isOvertaken(error)) return 'overtaken';
    // Continues after the error of one company, so that the page can list the companies that got an access request.
    if (error instanceof AccessError && !concernsAll(error)) return 'failed';
    throw error;
  }
}

const ask = askFormHandler(formPage, async (fields, context): Promise<PageResult> => {
  const { charge, request, reply } = context;
  const chosen = await findChosen(context);
  if (chosen === null || chosen.companies.length === 0) return notChosen(chosen, context);
  const { companies, gone } = chosen;
  const outcomes: CompanyOutcome[] = [];
  try {
    if (companies.length > 1) await charge(companies.length - 1);
    for (const company of companies)
      outcomes.push({ company, outcome: await askOne(company.id, fields, context) });
  } catch (error) {
    const refusal = refusalOf(error);
    if (outcomes.length === 0 && lastingErrors.has(refusal.code)) throw error;
    logIfInternalError(request.log, refusal);
    setRefusal(reply, refusal);
    const form = companiesForm(companies.slice(outcomes.length), fields, context);
    return outcomePage(outcomes, gone, context, { refusal, form });
  }
  return gone.length === 0 && outcomes.every(({ outcome }) => outcome === 'asked')
    ? { to: `${portfolioPath}?access=waiting&asked` }
    : outcomePage(outcomes, gone, context);
});

interface Stop {
  readonly refusal: CallerRefusal;
  readonly form: Html;
}

function outcomePage(
  outcomes: readonly CompanyOutcome[],
  gone: readonly string[],
  context: InvestorContext,
  stop?: Stop,
): Page {
  const words = context.language.m.figures.ask.several;
  const section = (outcome: Outcome | 'gone', entries: readonly Html[]): Html | string =>
    entries.length === 0
      ? nothing
      : html`<section aria-labelledby="${outcome}"><h2 id="${outcome}">${words.outcomes[outcome]}</h2>
<ul>${entries.map((entry) => html`<li>${entry}</li>`)}</ul></section>`;
  const group = (outcome: Outcome) =>
    section(
      outcome,
      outcomes
        .filter((each) => each.outcome === outcome)
        .map(
          ({ company: { id, name } }) => html`<a href="${companyPath(id)}"><bdi>${name}</bdi></a>`,
        ),
    );
  return {
    ...frameOf(context),
    ...(stop && { status: errorAnswers[stop.refusal.code].status }),
    main: html`${alert(words.notAll, stop === undefined ? words.notAllHint : reasonOf(stop, words))}
${stop && html`<section aria-labelledby="left"><h2 id="left">${words.left}</h2>${stop.form}</section>`}
${group('failed')}${group('overtaken')}${section(
  'gone',
  gone.map((id) => html`<bdi>${id}</bdi>`),
)}${group('covered')}${group('asked')}
<p class="actions">${buttonLink(portfolioPath, words.back)}</p>`,
  };
}

type Words = InvestorContext['language']['m']['figures']['ask']['several'];

const reasonOf = ({ refusal }: Stop, { stopped }: Words): string =>
  refusal.code === limitError ? stopped.limit : stopped.error;

export const askSeveralRoutes = [
  forInvestors.get('/portfolio/ask', (context) => formPage(context)),
  forInvestors.post('/portfolio/ask', ask),
];
