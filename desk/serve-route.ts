import type { FastifyInstance, FastifyReply } from 'fastify';
import { createOwnerUseCases } from '#core';
import { contactCallerOf, signedInOf } from '#http';
import { sendPage } from './components/layout.ts';
import {
  createContext,
  type DeskContext,
  type PageResult,
  type Redirect,
  type ServeOptions,
} from './context.ts';
import {
  continuePage,
  forgedFormPage,
  otherOrganisationPage,
  otherSidePage,
} from './pages/errors.ts';
import type { Route } from './route.ts';
import { isCsrfToken, isFromOtherSite, isSameOrigin } from './security.ts';

type Served = readonly [Route, ...Route[]];

export function serveRoute(app: FastifyInstance, served: Served, options: ServeOptions): void {
  const [route] = served;
  const maxBytes = Math.max(...served.map((each) => each.maxBytes ?? 0));
  app.route({
    method: route.method,
    url: route.path,
    ...(maxBytes > 0 && { bodyLimit: maxBytes }),
    config: { isPublic: route.access === 'open', operation: `${route.method} ${route.path}` },
    async handler(request, reply) {
      const context = createContext(request, reply, options);
      if (route.method === 'POST' && !isOurForm(route, context)) {
        request.refusalCode = 'origin_not_allowed';
        return sendPage(forgedFormPage(context), context);
      }
      const result: PageResult | undefined = await answer(served, context);
      // A handler that has already sent the response returns the reply. Awaiting the reply gives undefined, so nothing
      // more is sent.
      return result === undefined ? reply : send(result, context);
    },
  });
}

function isOurForm({ access }: Route, { request, session, form, publicUrl }: DeskContext): boolean {
  if (!isSameOrigin(request, publicUrl)) return false;
  return access === 'open' || (session !== null && isCsrfToken(session, form.text('csrf')));
}

function answer(served: Served, context: DeskContext): PageResult | Promise<PageResult> {
  const [route] = served;
  if (route.access === 'open') return route.handle(context);
  if (route.access === 'signed-in')
    return route.handle({ ...context, signedIn: signedInOf(context.request) });
  const caller = contactCallerOf(context.request);
  // A form acts for the organisation that its page showed, even if the user chose another organisation later.
  const isForCaller =
    caller.kind === 'contact'
      ? context.form.text('for_company') === caller.companyId
      : context.form.text('for_investor') === caller.investorId;
  if (route.method === 'POST' && !isForCaller) return otherOrganisationPage(context, caller);
  const { company, investor } = context.useCases;
  const own = createOwnerUseCases(company, investor, caller);
  for (const each of served) {
    if (each.access === 'company' && caller.kind === 'contact')
      return each.handle({ ...context, caller, own });
    if (each.access === 'investor' && caller.kind === 'investor_contact')
      return each.readsCompanies && isFromOtherSite(context.request)
        ? continuePage(context, context.request.url)
        : each.handle({ ...context, caller, own });
  }
  return homeOf(route, caller) ?? otherSidePage(context, caller);
}

/** After the sign-in, each user first opens the first page of companies. Investors have another first page. */
const homeOf = ({ path }: Route, { kind }: Acting): Redirect | null =>
  path === '/' && kind === 'investor_contact' ? { to: '/desk/portfolio' } : null;

type Acting = ReturnType<typeof contactCallerOf>;

function send(answer: PageResult, context: DeskContext): FastifyReply | Promise<FastifyReply> {
  if ('main' in answer) return sendPage(answer, context);
  // After a form was sent, redirects to a page that the user can reload.
  return 'to' in answer ? context.reply.redirect(answer.to, 303) : answer;
}
