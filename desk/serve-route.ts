import type { FastifyInstance, FastifyReply } from 'fastify';
import { contactCallerOf, signedInOf } from '#http';
import {
  createContext,
  type DeskContext,
  type DeskOptions,
  type PageResult,
  type Redirect,
} from './context.ts';
import { forgedFormPage, otherOrganisationPage, otherSidePage } from './pages/errors.ts';
import type { Route } from './route.ts';
import { isCsrfToken, isSameOrigin } from './security.ts';
import { sendPage } from './send-page.ts';

/** Lets a route be asked for by whoever may, and a change be made by our own forms alone. */
export function serveRoute(app: FastifyInstance, route: Route, options: DeskOptions): void {
  app.route({
    method: route.method,
    url: route.path,
    ...(route.maxBytes !== undefined && { bodyLimit: route.maxBytes }),
    config: { open: route.access === 'open', operation: `${route.method} ${route.path}` },
    async handler(request, reply) {
      const context = createContext(request, reply, options);
      if (route.method === 'POST' && !isOurForm(route, context)) {
        request.refusalCode = 'origin_not_allowed';
        return sendPage(forgedFormPage(context), context);
      }
      const given: PageResult | undefined = await answer(route, context);
      // A route that has sent its answer itself gives the reply, and to wait for a reply gives nothing.
      return given === undefined ? reply : send(given, context);
    },
  });
}

function isOurForm({ access }: Route, { request, session, form, publicUrl }: DeskContext): boolean {
  if (!isSameOrigin(request, publicUrl)) return false;
  return access === 'open' || (session !== null && isCsrfToken(session, form.text('csrf')));
}

function answer(route: Route, context: DeskContext): PageResult | Promise<PageResult> {
  if (route.access === 'open') return route.handle(context);
  if (route.access === 'signed-in')
    return route.handle({ ...context, signedIn: signedInOf(context.request) });
  const caller = contactCallerOf(context.request);
  // A form acts for the organisation whose page it stands on, and never for the one that was chosen after it.
  const isForCaller =
    caller.kind === 'contact'
      ? context.form.text('for_company') === caller.companyId
      : context.form.text('for_investor') === caller.investorId;
  if (route.method === 'POST' && !isForCaller) return otherOrganisationPage(context, caller);
  if (route.access === 'company' && caller.kind === 'contact')
    return route.handle({ ...context, caller });
  if (route.access === 'investor' && caller.kind === 'investor_contact')
    return route.handle({ ...context, caller });
  return homeOf(route, caller) ?? otherSidePage(context, caller);
}

/** Whoever signs in is led to the first page of companies, and an investor's contact on to its own. */
const homeOf = ({ path }: Route, { kind }: Acting): Redirect | null =>
  path === '/' && kind === 'investor_contact' ? { to: '/desk/portfolio' } : null;

type Acting = ReturnType<typeof contactCallerOf>;

function send(answer: PageResult, context: DeskContext): FastifyReply | Promise<FastifyReply> {
  if ('main' in answer) return sendPage(answer, context);
  // A form that was sent leads to a page that can be loaded again.
  return 'to' in answer ? context.reply.redirect(answer.to, 303) : answer;
}
