import type { FastifyReply } from 'fastify';
import { isPerson } from '#core';
import { withQuery } from '../address.ts';
import { assetsVersion } from '../assets/index.ts';
import type { DeskContext, Live, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import { accountMenu } from './account-menu.ts';
import { navigation } from './navigation.ts';

/** The scripts of each page. Their order matters: live.js must see the page before times.js changes it. */
const scripts = ['live.js', 'times.js'];

/**
 * Sends a page without compression. A page contains a secret form token and texts of other users. If both were
 * compressed together, the size of the response could reveal the token.
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

function layout(page: Page, context: DeskContext): Html {
  const { language, request } = context;
  const { caller } = request;
  const { m } = language;
  const person = caller !== null && isPerson(caller) ? caller : null;
  const acting = person === null || person.kind === 'signed_in' ? null : person;
  // The response to a form isn't refreshed, because loading its address with GET may return another page.
  const isStill = acting === null || page.isStill === true || request.method === 'POST';
  return html`<!doctype html>
<html lang="${language.tag}" dir="${m.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${page.title} · ${m.product}</title>
<link rel="icon" href="/desk/assets/icon.svg?${assetsVersion}" type="image/svg+xml">
<link rel="stylesheet" href="/desk/assets/style.css?${assetsVersion}">
${[...scripts, ...(page.scripts ?? [])].map((name) => html`<script type="module" src="/desk/assets/${name}?${assetsVersion}"></script>\n`)}
</head>
<body${isStill ? nothing : liveAttributes(page.live ?? {}, request.id)} data-changed="${m.live.changed}" data-reload="${m.live.reload}">
<a class="skip" href="#main">${m.skip}</a>
<header class="top">
  <a class="brand" href="/desk/"><span class="logo" aria-hidden="true"></span>${m.product}</a>
  ${acting ? navigation(acting.kind === 'contact' ? 'company' : 'investor', page.section ?? null, m) : nothing}
  ${accountMenu(person, page, context)}
</header>
<main id="main" tabindex="-1">
${
  page.parent
    ? html`<p class="crumb"><a href="${page.parent.path}">${page.parent.title}</a></p>
`
    : nothing
}<h1>${page.title}</h1>
${page.main}
</main>
<div id="live" role="status" aria-live="polite"></div>
</body>
</html>
`;
}

function liveAttributes({ companyId, look, endpointId, isPartly }: Live, pageId: string): Html {
  const query = { page: pageId, company: companyId, look, endpoint: endpointId };
  return html` data-live="${withQuery('/desk/events', query)}"${isPartly ? html` data-partly` : nothing}`;
}
