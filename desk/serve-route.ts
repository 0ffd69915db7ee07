import type { FastifyInstance, FastifyReply } from 'fastify';
import { contactCallerOf, signedInOf } from '#http';
import type { ContactContext, DeskContext, DeskOptions, PageResult } from './context.ts';
import { createContext } from './create-context.ts';
import { otherCompanyPage } from './pages/errors.ts';
import type { Route } from './route.ts';
import { isCsrfToken, isSameOrigin } from './security.ts';
import { sendForgedForm, sendPage } from './send-page.ts';

/** Lets a route be asked for by whoever may, and a change be made by our own forms alone. */
export function serveRoute(app: FastifyInstance, route: Route, options: DeskOptions): void {
  app.route({
    method: route.method,
    url: route.path,
    config: { open: route.access === 'open', operation: `${route.method} ${route.path}` },
    async handler(request, reply) {
      const context = createContext(request, reply, options);
      if (route.method === 'POST' && !isOurForm(route, context, options.publicUrl())) {
        return sendForgedForm(context);
      }
      const given: PageResult | undefined = await answer(route, context);
      // A route that has sent its answer itself gives the reply, and to wait for a reply gives nothing.
      return given === undefined ? reply : send(given, context);
    },
  });
}

function isOurForm(
  { access }: Route,
  { request, session, form }: DeskContext,
  publicUrl: string,
): boolean {
  if (!isSameOrigin(request, publicUrl)) return false;
  return access === 'open' || (session !== null && isCsrfToken(session, form.text('csrf')));
}

function answer(route: Route, context: DeskContext): Promise<PageResult> {
  switch (route.access) {
    case 'open':
      return route.handle(context);
    case 'signed-in':
      return route.handle({ ...context, signedIn: signedInOf(context.request) });
    case 'contact':
      return answerContact(route, { ...context, caller: contactCallerOf(context.request) });
  }
}

/** A form decides for the company whose page it stands on, and never for the one that was chosen after it. */
async function answerContact(
  route: Extract<Route, { access: 'contact' }>,
  context: ContactContext,
): Promise<PageResult> {
  const isOfCompany = context.form.text('for_company') === context.caller.companyId;
  return route.method === 'POST' && !isOfCompany
    ? otherCompanyPage(context)
    : route.handle(context);
}

function send(answer: PageResult, context: DeskContext): FastifyReply | Promise<FastifyReply> {
  if ('main' in answer) return sendPage(answer, context);
  // A form that was sent leads to a page that can be loaded again.
  return 'to' in answer ? context.reply.redirect(answer.to, 303) : answer;
}
