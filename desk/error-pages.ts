import type { FastifyReply, FastifyRequest } from 'fastify';
import { logIfInternalError, refusalOf, setRefusal } from '#http';
import { sendPage } from './components/layout.ts';
import { createContext, type ServeOptions } from './context.ts';
import { setReturnPath } from './cookies.ts';
import { errorPage } from './pages/errors.ts';

/**
 * Without a session, redirects to the sign-in page. Without a chosen organisation, redirects to the choice. Both pages
 * lead back to the requested page.
 */
export const createErrorPages =
  (options: ServeOptions) =>
  (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | Promise<FastifyReply> => {
    const refusal = refusalOf(error);
    logIfInternalError(request.log, refusal);
    request.refusalCode = refusal.code;
    if (refusal.code === 'missing_api_key' || refusal.code === 'invalid_api_key') {
      if (isForPage(request))
        setReturnPath(reply, options.toPagePath(request.url.replace(/\?.*$/s, '')));
      const isSignedIn = request.caller !== null;
      return reply.redirect(isSignedIn ? '/desk/companies' : '/desk/sign-in?because=ended', 303);
    }
    const context = createContext(request, reply, options);
    setRefusal(reply, refusal);
    return sendPage(errorPage(context, refusal), context);
  };

/**
 * Returns true if the browser loads a page, not data for a script. Only a page can be opened again after the sign-in.
 */
const isForPage = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && (headers['sec-fetch-dest'] ?? 'document') === 'document';
