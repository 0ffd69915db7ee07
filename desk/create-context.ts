import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from '#http';
import type { DeskContext, DeskOptions } from './context.ts';
import { chosenLanguage } from './cookies.ts';
import { readForm } from './form.ts';
import { findLanguage } from './messages/index.ts';

export function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { useCases, publicUrl, now, mails, grantTtlDays }: DeskOptions,
): DeskContext {
  return {
    request,
    reply,
    useCases,
    language: findLanguage(chosenLanguage(request), request.headers['accept-language']),
    mails,
    grantTtlDays,
    now: now(),
    currentTime: now,
    publicUrl: publicUrl(),
    query: onlyTexts(request.query),
    params: request.params as Readonly<Record<string, string>>,
    form: readForm(request),
    session: readSessionCookie(request, publicUrl()),
    setSession(session) {
      const url = publicUrl();
      const cookie = session === null ? clearSessionCookie(url) : writeSessionCookie(session, url);
      reply.header('set-cookie', cookie);
    },
  };
}

/** Of a parameter that was sent more than once, nothing. */
function onlyTexts(query: unknown): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(query as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
