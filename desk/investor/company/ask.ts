import { AccessError, isLive } from '#core';
import type { InvestorContext, PageResult } from '../../context.ts';
import { alert, html } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { type AskErrors, type Asked, asking } from '../ask-form.ts';
import { companyPath } from '../paths.ts';
import { companyPage } from './page.ts';
import { openCompany } from './state.ts';

/** The page again, with what has to be changed in the form. */
async function again(
  context: InvestorContext,
  errors: AskErrors,
  notice = html``,
): Promise<PageResult> {
  const page = await companyPage(context, { notice, errors });
  return { ...page, status: 422, path: companyPath(context.id) };
}

/** Asks for what is wanted: by a request of its own, or, while one is live, in addition to it. */
async function send(asked: Asked, context: InvestorContext): Promise<void> {
  const { caller, useCases, form, id: companyId } = context;
  const { investor } = useCases;
  const { request } = await openCompany(context);
  if (request !== null && isLive(request)) {
    await investor.amendAccessRequest(caller, { id: request.id, ...asked });
    return;
  }
  const idempotencyKey = `desk_${form.text('id') ?? ''}`;
  await investor.requestAccess(caller, { companyId, ...asked, idempotencyKey });
}

const ask = asking(again, async (asked, context) => {
  const { ask: words } = context.language.m.figures;
  try {
    await send(asked, context);
  } catch (error) {
    // It was decided, or asked for by a colleague, since the page was made: the page shows how it stands now.
    const isOvertaken =
      error instanceof AccessError &&
      /^(?:scope|request)_conflict|illegal_transition$/.test(error.code);
    if (!isOvertaken) throw error;
    return again(context, {}, alert(words.refused, words.overtaken));
  }
  return { to: `${companyPath(context.id)}?asked` };
});

export const askRoutes = [forInvestors.post('/portfolio/:id/ask', ask)];
