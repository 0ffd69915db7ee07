import type { FastifyReply } from 'fastify';
import { showsStatus } from '#core';
import { loadVerifier } from './assets/verifier.ts';
import { describeActorForCompany, sectionOf } from './company/request.ts';
import { emptyState } from './components/lists.ts';
import { receiptItem, receiptWords } from './components/receipt-item.ts';
import { isOfCompany, type OwnerContext, type Page } from './context.ts';
import { type Html, html, nothing } from './html.ts';
import { companyName, describeActorForInvestor } from './investor/requests/words.ts';
import type { Messages } from './messages/index.ts';
import { forOwners } from './route.ts';

async function readRequest(context: OwnerContext) {
  const { useCases, language, id } = context;
  const { m } = language;
  if (isOfCompany(context)) {
    const details = await useCases.company.readReceivedRequestWithActors(context.caller, { id });
    const { accessRequest, investor } = details;
    return {
      accessRequest,
      title: m.receipts.title(investor.name),
      requestTitle: m.request.title(investor.name),
      section: sectionOf(accessRequest),
      lead: m.receipts.lead,
      describeActor: describeActorForCompany(details, m),
      statuses: m.statuses,
    };
  }
  const details = await useCases.investor.readOwnRequest(context.caller, { id });
  const { request: words, requests } = m.ownRequests;
  const name = companyName(details, m);
  return {
    accessRequest: details.accessRequest,
    title: words.receiptsTitle(name),
    requestTitle: words.title(name),
    section: 'requests' as const,
    lead: words.receiptsLead,
    describeActor: describeActorForInvestor(details, m),
    statuses: requests.statuses,
  };
}

async function receiptsPage(context: OwnerContext): Promise<Page> {
  const { language, publicUrl, own, id } = context;
  const [request, chain, { address }] = await Promise.all([
    readRequest(context),
    own.readChain({ id }),
    loadVerifier(),
  ]);
  const { title, section, requestTitle, accessRequest, lead } = request;
  const { items, awaitsSignature, head } = chain;
  const { m } = language;
  const status = showsStatus({ awaitsSignature }, accessRequest) ? accessRequest.status : null;
  const path = `/desk/requests/${accessRequest.id}`;
  const main = html`<p class="lead">${lead}</p>
<div id="verdict" role="status" data-verifier="${address}"${head === null ? nothing : html` data-head="${head}"`}${status && html` data-status="${status}"`}></div>
<noscript><p class="notice">${m.receipts.noScript}</p></noscript>
<div class="beside"><section aria-labelledby="chain"><h2 id="chain">${m.receipts.chain}</h2>
${items.length === 0 ? emptyState({ title: m.receipts.none, text: m.receipts.waits }) : html`<ol class="timeline">${items.map((each) => receiptItem(each, request, language))}</ol>`}
${awaitsSignature ? html`<p class="notice">${m.receipts.waits}</p>` : nothing}
<p><a class="button" href="${path}/receipts.json" download>${m.receipts.download}</a></p></section>
<div class="aside">${fileForm(m)}
<section class="panel" aria-labelledby="elsewhere"><h2 id="elsewhere">${m.receipts.elsewhereTitle}</h2>
<p>${m.receipts.elsewhere}</p>
<p><code class="command">portfolio-access verify receipts-${accessRequest.id}.json --jwks ${publicUrl}/.well-known/jwks.json</code></p></section></div></div>
${receiptWords(m)}`;
  return {
    title,
    section,
    parent: { path, title: requestTitle },
    scripts: ['receipts.js'],
    main,
  };
}

/** The fields have no names, so the browser never sends the file, even if the script fails. */
const fileForm = ({ receipts }: Messages): Html =>
  html`<section class="panel" id="check" aria-labelledby="check-title" hidden><h2 id="check-title">${receipts.fileTitle}</h2>
<p class="hint">${receipts.fileHint}</p>
<form class="stack">
<label for="file">${receipts.file}</label><input type="file" id="file" accept=".json,application/json">
<label for="text">${receipts.pasted}</label><textarea id="text" rows="3" spellcheck="false"></textarea>
<button type="button">${receipts.check}</button>
</form>
<div id="file-verdict" role="status"></div></section>`;

/** The file has the same content as the list in the REST API. */
async function sendReceipts(context: OwnerContext): Promise<FastifyReply> {
  const { id, reply, own } = context;
  const { items, awaitsSignature, head } = await own.readChain({ id });
  return reply
    .header('content-disposition', `attachment; filename="receipts-${id}.json"`)
    .type('application/json; charset=utf-8')
    .send({
      object: 'list',
      data: items.map(({ id, jws }) => ({ id, object: 'consent_receipt', jws })),
      has_more: false,
      url: `${isOfCompany(context) ? '/company/v1' : '/v1'}/access-requests/${id}/receipts`,
      next_cursor: null,
      ...(awaitsSignature && { awaits_signature: true }),
      ...(head !== null && { head }),
    });
}

export const receiptsRoutes = [
  ...forOwners.get('/requests/:id/receipts', receiptsPage),
  ...forOwners.get('/requests/:id/receipts.json', sendReceipts),
];
