import { deliveryStates, type WebhookDelivery } from '#core';
import { formatExactly, formatRelative } from '../../components/request-facts.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';

const tones = { pending: 'pending', delivered: 'good', failed: 'bad' } as const;

/** What was and is to be delivered to an endpoint, and how it went. */
export async function deliveriesSection(
  endpointId: string,
  context: ContactContext,
): Promise<Html> {
  const { caller, useCases, language, query } = context;
  const { m } = language;
  const words = m.settings.deliveries;
  const state = deliveryStates.find((each) => each === query.state);
  const { items, nextCursor } = await useCases.company.listWebhookDeliveries(caller, {
    id: endpointId,
    state,
    cursor: query.cursor,
  });
  const path = `/desk/settings/webhooks/${endpointId}`;
  const next = new URLSearchParams({ ...(state && { state }), cursor: nextCursor ?? '' });
  return html`<section><h2 id="deliveries">${words.title}</h2>
<form method="get" action="${path}" class="filters"><div><label for="state">${words.state}</label>
<select id="state" name="state"><option value="">${m.requests.any}</option>${deliveryStates.map(
    (each) =>
      html`<option value="${each}"${each === state ? html` selected` : nothing}>${words.states[each]}</option>`,
  )}</select></div><button>${m.requests.show}</button></form>
${
  items.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : html`<div class="scroll" role="region" aria-labelledby="deliveries" tabindex="0"><table>
<thead><tr><th scope="col">${words.event}</th><th scope="col">${words.state}</th><th scope="col">${words.answer}</th><th scope="col">${words.last}</th></tr></thead>
<tbody>${items.map((delivery) => row(delivery, context))}</tbody></table></div>`
}
${nextCursor === null ? nothing : html`<p><a class="button" rel="next" href="${path}?${next.toString()}">${m.more}</a></p>`}</section>`;
}

function row(delivery: WebhookDelivery, { language, now }: ContactContext): Html {
  const { m } = language;
  const words = m.settings.deliveries;
  const { state, attempts, lastAttemptAt, nextAttemptAt } = delivery;
  return html`<tr><th scope="row">${m.events[delivery.eventType]}<br><span class="hint">${formatExactly(delivery.createdAt, language)}</span></th>
<td><span class="badge ${tones[state]}">${words.states[state]}</span>${nextAttemptAt === null ? nothing : html`<br><span class="hint">${words.next} ${formatRelative(nextAttemptAt, now, language)}</span>`}</td>
<td>${answerOf(delivery, words)}</td>
<td>${lastAttemptAt === null ? m.never : formatExactly(lastAttemptAt, language)}<br><span class="hint">${words.attempts(attempts)}</span></td></tr>`;
}

function answerOf(
  { lastStatus, lastFailure }: Pick<WebhookDelivery, 'lastStatus' | 'lastFailure'>,
  words: ContactContext['language']['m']['settings']['deliveries'],
): string {
  if (lastFailure !== null) return words.failures[lastFailure];
  return lastStatus === null ? words.notYet : words.answered(String(lastStatus));
}
