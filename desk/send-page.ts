import type { FastifyReply } from 'fastify';
import { assetsVersion } from './assets/index.ts';
import { layout } from './components/layout.ts';
import type { DeskContext, Page } from './context.ts';
import { html } from './html.ts';

/**
 * Sends a page as it is. It is not compressed: it holds the token of its forms beside what others wrote, and the length
 * of what is compressed together gives secrets away.
 */
export async function sendPage(page: Page, context: DeskContext): Promise<FastifyReply> {
  const { request, reply, language, session } = context;
  const { caller } = request;
  const text = await layout(page, {
    language,
    session,
    caller: caller !== null && 'email' in caller ? caller : null,
    path: page.path ?? request.url.replace(/\?.*$/s, ''),
    requestId: request.id,
    version: assetsVersion,
  });
  return reply
    .code(page.status ?? 200)
    .header('content-language', language.tag)
    .header('vary', 'Accept-Language, Cookie')
    .type('text/html; charset=utf-8')
    .send(text.toString());
}

/** A change that no page of ours asked for. */
export function sendForgedForm(context: DeskContext): Promise<FastifyReply> {
  context.request.refusalCode = 'origin_not_allowed';
  const { m } = context.language;
  const page: Page = {
    title: m.errors.forbiddenTitle,
    status: 403,
    main: html`<p class="lead">${m.errors.forbidden}</p><p><a class="button" href="/desk/">${m.errors.home}</a></p>`,
  };
  return sendPage(page, context);
}
