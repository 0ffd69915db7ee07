import type { FastifyInstance, FastifyReply } from 'fastify';
import { contactCallerOf, signedInOf } from '#http';
import { createContext, type DeskContext, type DeskOptions, type PageResult } from './context.ts';
import { forgedFormPage, otherCompanyPage } from './pages/errors.ts';
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
  // A form decides for the company whose page it stands on, and never for the one that was chosen after it.
  const isOfCompany = context.form.text('for_company') === caller.companyId;
  return route.method === 'POST' && !isOfCompany
    ? otherCompanyPage(context, caller)
    : route.handle({ ...context, caller });
}

function send(answer: PageResult, context: DeskContext): FastifyReply | Promise<FastifyReply> {
  if ('main' in answer) return sendPage(answer, context);
  // A form that was sent leads to a page that can be loaded again.
  return 'to' in answer ? context.reply.redirect(answer.to, 303) : answer;
}
