import { AccessError, requirePermission } from '#core';
import { ownerFields } from '../../components/fields.ts';
import type { InvestorContext, Page, PageResult } from '../../context.ts';
import { html } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { claimForm, doneAlreadyPage } from '../../settings/changes.ts';
import { type AccessRequestFields, askFormHandler, toAddition } from '../ask-form.ts';
import { changedPage, ownRequestPage } from './request.ts';
import { companyName } from './words.ts';

const addressOf = (id: string): string => `/desk/requests/${id}`;

/** If the access request has changed since the page was loaded, shows its page with a notice. */
async function handleChangedRequest(
  context: InvestorContext,
  act: () => Promise<PageResult>,
): Promise<PageResult> {
  const words = context.language.m.ownRequests.request;
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

const handleHere = (
  act: (fields: AccessRequestFields, context: InvestorContext) => Promise<PageResult>,
): ((context: InvestorContext) => Promise<PageResult>) =>
  askFormHandler(
    (context, errors) => ownRequestPage(context, { errors, status: 422 }),
    (fields, context) => handleChangedRequest(context, () => act(fields, context)),
  );

const amend = handleHere(async (fields, { caller, useCases, id }) => {
  await useCases.investor.amendAccessRequest(caller, { id, ...toAddition(fields) });
  return { to: `${addressOf(id)}?done=amended` };
});

async function reviewWithdrawal(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const { m } = language;
  const words = m.ownRequests.request;
  requirePermission(caller, 'ask');
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
  handleChangedRequest(context, async () => {
    const { caller, useCases, id } = context;
    await useCases.investor.withdrawAccessRequest(caller, { id });
    return { to: `${addressOf(id)}?done=withdrawn` };
  });

/** If the same form is sent twice, only the first one counts. */
const askAgain = handleHere(async (fields, context) => {
  const { caller, useCases, id } = context;
  const { accessRequest } = await useCases.investor.readOwnRequest(caller, { id });
  if (!(await claimForm(context))) return doneAlreadyPage(context, addressOf(id), 'requests');
  const { companyId } = accessRequest;
  const made = await useCases.investor.requestAccess(caller, { companyId, ...fields });
  return { to: `${addressOf(made.accessRequest.id)}?done=${made.outcome}` };
});

export const requestActRoutes = [
  forInvestors.post('/requests/:id/amend', amend),
  forInvestors.get('/requests/:id/withdraw', reviewWithdrawal),
  forInvestors.post('/requests/:id/withdraw', withdraw),
  forInvestors.post('/requests/:id/again', askAgain),
];
