import { AccessError, isLive } from '#core';
import type { InvestorContext, PageResult } from '../../context.ts';
import { alert, html } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import {
  type AccessRequestFields,
  type AskErrors,
  askFormHandler,
  toAddition,
} from '../ask-form.ts';
import { companyPath } from '../paths.ts';
import { companyPage } from './page.ts';
import { type OpenCompany, openCompany } from './state.ts';

async function again(
  context: InvestorContext,
  errors: AskErrors,
  notice = html``,
): Promise<PageResult> {
  const page = await companyPage(context, { notice, errors });
  return { ...page, status: 422, path: companyPath(context.id) };
}

/**
 * Adds to the live access request. Without one, creates a new access request.
 *
 * @param formId identifies the form, so that a form sent twice creates only one access request
 */
export async function sendRequest(
  fields: AccessRequestFields,
  formId: string,
  { company, request }: OpenCompany,
  { caller, useCases: { investor } }: InvestorContext,
): Promise<void> {
  if (request !== null && isLive(request)) {
    await investor.amendAccessRequest(caller, { id: request.id, ...toAddition(fields) });
    return;
  }
  // The form asked for wider limits of a request that has ended meanwhile.
  if (fields.scopes.length === 0) throw new AccessError('request_conflict');
  const idempotencyKey = `desk_${formId}`;
  await investor.requestAccess(caller, { companyId: company.id, ...fields, idempotencyKey });
}

/** A decision or a colleague may have changed the access request since the page was loaded. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof AccessError &&
  /^(?:scope|request)_conflict|illegal_transition$/.test(error.code);

const ask = askFormHandler(again, async (fields, context) => {
  const { ask: words } = context.language.m.figures;
  try {
    const formId = context.form.text('id') ?? '';
    await sendRequest(fields, formId, await openCompany(context), context);
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    return again(context, {}, alert(words.refused, words.overtaken));
  }
  return { to: `${companyPath(context.id)}?asked` };
});

export const askRoutes = [forInvestors.post('/portfolio/:id/ask', ask)];
