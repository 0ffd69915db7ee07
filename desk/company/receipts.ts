import type { FastifyReply } from 'fastify';
import { tellsStatus } from '#core';
import { loadVerifier } from '../assets/verifier.ts';
import { emptyState } from '../components/lists.ts';
import { receiptItem } from '../components/receipt-item.ts';
import { receiptWords } from '../components/receipt-words.ts';
import type { ContactContext, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { forContacts } from '../route.ts';

async function receiptsPage(context: ContactContext): Promise<Page> {
  const { caller, useCases, language, id, publicUrl } = context;
  const { m } = language;
  const [{ accessRequest, investor, actors }, { items, awaitsSignature, head }, { address }] =
    await Promise.all([
      useCases.company.readReceivedRequestWithActors(caller, { id }),
      useCases.company.readReceivedChain(caller, { id }),
      loadVerifier(),
    ]);
  const status = tellsStatus({ awaitsSignature }, accessRequest) ? accessRequest.status : null;
  return {
    title: m.receipts.title(investor.name),
    section: accessRequest.status === 'approved' ? 'grants' : 'inbox',
    scripts: ['receipts.js'],
    parent: { path: `/desk/requests/${accessRequest.id}`, title: m.request.title(investor.name) },
    main: html`<p class="lead">${m.receipts.lead}</p>
<div id="verdict" role="status" data-verifier="${address}"${head === null ? nothing : html` data-head="${head}"`}${status && html` data-status="${status}"`}></div>
<noscript><p class="notice">${m.receipts.noScript}</p></noscript>
<div class="beside"><section aria-labelledby="chain"><h2 id="chain">${m.receipts.chain}</h2>
${items.length === 0 ? emptyState({ title: m.receipts.none, text: m.receipts.waits }) : html`<ol class="timeline">${items.map((each) => receiptItem(each, actors, language))}</ol>`}
${awaitsSignature ? html`<p class="notice">${m.receipts.waits}</p>` : nothing}
<p><a class="button" href="/desk/requests/${accessRequest.id}/receipts.json" download>${m.receipts.download}</a></p></section>
<div class="aside">${fileForm(m)}
<section class="panel" aria-labelledby="elsewhere"><h2 id="elsewhere">${m.receipts.elsewhereTitle}</h2>
<p>${m.receipts.elsewhere}</p>
<p><code>portfolio-access verify receipts-${accessRequest.id}.json --jwks ${publicUrl}/.well-known/jwks.json</code></p></section></div></div>
${receiptWords(m)}`,
  };
}

/** Without names its fields are sent by no browser, whatever happens to the script. */
const fileForm = ({ receipts }: Messages): Html =>
  html`<section class="panel" id="check" aria-labelledby="check-title" hidden><h2 id="check-title">${receipts.fileTitle}</h2>
<p class="hint">${receipts.fileHint}</p>
<form class="stack">
<label for="file">${receipts.file}</label><input type="file" id="file" accept=".json,application/json">
<label for="text">${receipts.pasted}</label><textarea id="text" rows="3" spellcheck="false"></textarea>
<button type="button">${receipts.check}</button>
</form>
<div id="file-verdict" role="status"></div></section>`;

/** The same list as in the API for companies. */
async function receiptsFile(context: ContactContext): Promise<FastifyReply> {
  const { caller, useCases, id, reply } = context;
  const { items, awaitsSignature, head } = await useCases.company.readReceivedChain(caller, { id });
  return reply
    .header('content-disposition', `attachment; filename="receipts-${id}.json"`)
    .type('application/json; charset=utf-8')
    .send({
      object: 'list',
      data: items.map(({ id, jws }) => ({ id, object: 'consent_receipt', jws })),
      has_more: false,
      url: `/company/v1/access-requests/${id}/receipts`,
      next_cursor: null,
      ...(awaitsSignature && { awaits_signature: true }),
      ...(head !== null && { head }),
    });
}

export const receiptsRoutes = [
  forContacts.get('/requests/:id/receipts', receiptsPage),
  forContacts.get('/requests/:id/receipts.json', receiptsFile),
];
