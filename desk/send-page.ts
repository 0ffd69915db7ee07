import type { FastifyReply } from 'fastify';
import { layout } from './components/layout.ts';
import type { DeskContext, Page } from './context.ts';

/**
 * Sends a page without compression. A page contains its form token next to text of other users. Compressed together,
 * their size could reveal the token.
 */
export async function sendPage(page: Page, context: DeskContext): Promise<FastifyReply> {
  const text = await layout(page, context);
  return context.reply
    .code(page.status ?? 200)
    .header('content-language', context.language.tag)
    .header('vary', 'Accept-Language, Cookie')
    .type('text/html; charset=utf-8')
    .send(text.toString());
}
