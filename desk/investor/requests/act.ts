import { AccessError, grantableScopes } from '#core';
import { onceField, ownerFields } from '../../components/fields.ts';
import type { InvestorContext, Page, PageResult } from '../../context.ts';
import { html } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { claimForm, doneAlreadyPage } from '../../settings/changes.ts';
import { askForm, findErrors, readAsked } from './ask-form.ts';
import { changedPage, ownRequestPage } from './request.ts';
import { companyName } from './words.ts';

const addressOf = (id: string): string => `/desk/requests/${id}`;

/** What happened meanwhile is told on the page of the request. */
async function orChanged(
  context: InvestorContext,
  act: () => Promise<PageResult>,
): Promise<PageResult> {
  const words = context.language.m.investorAdmin.request;
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    switch (error.code) {
      case 'illegal_transition':
      case 'request_conflict':
        return changedPage(context, words.conflict);
      case 'scope_conflict':
        return changedPage(context, words.scopeConflict);
      case 'company_not_found':
        return changedPage(context, words.left);
      default:
        throw error;
    }
  }
}

function amend(context: InvestorContext): Promise<PageResult> {
  const { caller, useCases, id } = context;
  const asked = readAsked(context);
  const errors = findErrors(asked, context);
  if (errors !== null) return ownRequestPage(context, { errors, status: 422 });
  return orChanged(context, async () => {
    const { scopes, purpose } = asked;
    await useCases.investor.amendAccessRequest(caller, { id, scopes: [...scopes], purpose });
    return { to: `${addressOf(id)}?done=amended` };
  });
}

async function reviewWithdrawal(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const { m } = language;
  const words = m.investorAdmin.request;
  const details = await useCases.investor.readOwnRequest(caller, { id });
  const name = companyName(details, m);
  const isGranted = details.accessRequest.status === 'approved';
  return {
    title: isGranted ? words.giveUpReview(name) : words.withdrawReview(name),
    section: 'requests',
    isStill: true,
    main: html`<div class="narrow panel"><p>${isGranted ? words.giveUpText : words.withdrawText}</p>
<form method="post" action="${addressOf(id)}/withdraw" class="actions">${ownerFields(context)}
<button class="danger">${isGranted ? words.confirmGiveUp : words.confirmWithdraw}</button>
<a class="button" href="${addressOf(id)}">${m.cancel}</a></form></div>`,
  };
}

const withdraw = (context: InvestorContext): Promise<PageResult> =>
  orChanged(context, async () => {
    const { caller, useCases, id } = context;
    await useCases.investor.withdrawAccessRequest(caller, { id });
    return { to: `${addressOf(id)}?done=withdrawn` };
  });

/** Asks a company, by a form that is carried out once. */
async function ask(context: InvestorContext, companyId: string, back: string): Promise<PageResult> {
  const { caller, useCases } = context;
  if (!(await claimForm(context))) return doneAlreadyPage(context, back, 'requests');
  const { scopes, purpose } = readAsked(context);
  const { outcome, accessRequest } = await useCases.investor.requestAccess(caller, {
    companyId,
    scopes: [...scopes],
    purpose,
  });
  return { to: `${addressOf(accessRequest.id)}?done=${outcome}` };
}

/** Begins anew with the company of a request that is over. */
async function askAgain(context: InvestorContext): Promise<PageResult> {
  const { caller, useCases, id } = context;
  const { accessRequest } = await useCases.investor.readOwnRequest(caller, { id });
  const errors = findErrors(readAsked(context), context);
  if (errors !== null) return ownRequestPage(context, { errors, status: 422 });
  return orChanged(context, () => ask(context, accessRequest.companyId, addressOf(id)));
}

/** The form by which a company is asked for the first time. */
async function newRequestPage(
  context: InvestorContext,
  companyId: string,
  errors?: ReturnType<typeof findErrors>,
): Promise<Page> {
  const { caller, useCases, language } = context;
  const words = language.m.investorAdmin.request;
  const { name } = await useCases.investor.readPortfolioCompany(caller, { companyId });
  const form = askForm(
    {
      action: `/desk/requests/new?company=${encodeURIComponent(companyId)}`,
      button: words.ask,
      offered: grantableScopes,
      chosen: { scopes: [], purpose: null },
      errors: errors ?? undefined,
      fields: onceField(),
    },
    context,
  );
  return {
    title: words.askTitle(name),
    section: 'requests',
    status: errors ? 422 : 200,
    isStill: true,
    main: html`<div class="narrow panel"><p class="lead">${words.askLead}</p>${form}</div>`,
  };
}

async function askFirst(context: InvestorContext): Promise<PageResult> {
  const companyId = context.query.company ?? '';
  const errors = findErrors(readAsked(context), context);
  if (errors !== null) return newRequestPage(context, companyId, errors);
  try {
    return await ask(context, companyId, '/desk/requests');
  } catch (error) {
    const isLive = error instanceof AccessError && error.code === 'scope_conflict';
    const live = isLive ? error.details.accessRequestId : undefined;
    if (live === undefined) throw error;
    return { to: `${addressOf(live)}?done=live` };
  }
}

export const requestActRoutes = [
  forInvestors.get('/requests/new', (context) =>
    newRequestPage(context, context.query.company ?? ''),
  ),
  forInvestors.post('/requests/new', askFirst),
  forInvestors.post('/requests/:id/amend', amend),
  forInvestors.get('/requests/:id/withdraw', reviewWithdrawal),
  forInvestors.post('/requests/:id/withdraw', withdraw),
  forInvestors.post('/requests/:id/again', askAgain),
];
