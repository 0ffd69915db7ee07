import type { FastifyReply } from 'fastify';
import { type AccessRequest, type ReceiptPage, tellsStatus } from '#core';
import { loadVerifier } from '../assets/verifier.ts';
import type { DeskContext, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { emptyState } from './lists.ts';
import { receiptItem } from './receipt-item.ts';
import { receiptWords } from './receipt-words.ts';
import type { Telling } from './telling.ts';

interface Told extends Telling, Pick<Page, 'title' | 'section'> {
  readonly accessRequest: AccessRequest;
  readonly chain: ReceiptPage;
  /** The title of the request's page. */
  readonly requestTitle: string;
}

/** The receipts of a request, with the means to check them in the browser and elsewhere. */
export async function receiptsPage(
  told: Told,
  { language, publicUrl }: DeskContext,
): Promise<Page> {
  const { title, section, requestTitle, accessRequest } = told;
  const { items, awaitsSignature, head } = told.chain;
  const { m } = language;
  const { address } = await loadVerifier();
  const status = tellsStatus({ awaitsSignature }, accessRequest) ? accessRequest.status : null;
  const path = `/desk/requests/${accessRequest.id}`;
  const main = html`<p class="lead">${told.lead}</p>
<div id="verdict" role="status" data-verifier="${address}"${head === null ? nothing : html` data-head="${head}"`}${status && html` data-status="${status}"`}></div>
<noscript><p class="notice">${m.receipts.noScript}</p></noscript>
<div class="beside"><section aria-labelledby="chain"><h2 id="chain">${m.receipts.chain}</h2>
${items.length === 0 ? emptyState({ title: m.receipts.none, text: m.receipts.waits }) : html`<ol class="timeline">${items.map((each) => receiptItem(each, told, language))}</ol>`}
${awaitsSignature ? html`<p class="notice">${m.receipts.waits}</p>` : nothing}
<p><a class="button" href="${path}/receipts.json" download>${m.receipts.download}</a></p></section>
<div class="aside">${fileForm(m)}
<section class="panel" aria-labelledby="elsewhere"><h2 id="elsewhere">${m.receipts.elsewhereTitle}</h2>
<p>${m.receipts.elsewhere}</p>
<p><code class="command">portfolio-access verify receipts-${accessRequest.id}.json --jwks ${publicUrl}/.well-known/jwks.json</code></p></section></div></div>
${receiptWords(m)}`;
  return {
    title,
    ...(section && { section }),
    parent: { path, title: requestTitle },
    scripts: ['receipts.js'],
    main,
  };
}

/** The fields have no names, so a browser never sends them, even if the script fails. */
const fileForm = ({ receipts }: Messages): Html =>
  html`<section class="panel" id="check" aria-labelledby="check-title" hidden><h2 id="check-title">${receipts.fileTitle}</h2>
<p class="hint">${receipts.fileHint}</p>
<form class="stack">
<label for="file">${receipts.file}</label><input type="file" id="file" accept=".json,application/json">
<label for="text">${receipts.pasted}</label><textarea id="text" rows="3" spellcheck="false"></textarea>
<button type="button">${receipts.check}</button>
</form>
<div id="file-verdict" role="status"></div></section>`;

/**
 * Sends the same list as the API of the caller's side.
 *
 * @param api the start of the API's paths
 */
export const sendReceipts = (
  { id, reply }: DeskContext,
  { items, awaitsSignature, head }: ReceiptPage,
  api: '/v1' | '/company/v1',
): FastifyReply =>
  reply
    .header('content-disposition', `attachment; filename="receipts-${id}.json"`)
    .type('application/json; charset=utf-8')
    .send({
      object: 'list',
      data: items.map(({ id, jws }) => ({ id, object: 'consent_receipt', jws })),
      has_more: false,
      url: `${api}/access-requests/${id}/receipts`,
      next_cursor: null,
      ...(awaitsSignature && { awaits_signature: true }),
      ...(head !== null && { head }),
    });
