import type { FastifyReply } from 'fastify';
import { layout } from './components/layout.ts';
import type { DeskContext, Page } from './context.ts';

/**
 * Sends a page as it is. It is not compressed: it holds the token of its forms beside what others wrote, and the length
 * of what is compressed together gives secrets away.
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
