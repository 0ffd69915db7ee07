import { deliveryStates, type WebhookDelivery } from '#core';
import { older, select } from '../../components/lists.ts';
import { table } from '../../components/table.ts';
import { formatExactly, formatRelative } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';

const tones = { pending: 'pending', delivered: 'good', failed: 'bad' } as const;

/** What was and is to be delivered to an endpoint, and how it went. */
export async function deliveriesSection(id: string, context: ContactContext): Promise<Html> {
  const { caller, useCases, language, query } = context;
  const { m } = language;
  const words = m.settings.deliveries;
  const state = deliveryStates.find((each) => each === query.state);
  const { items, nextCursor } = await useCases.company.listWebhookDeliveries(caller, {
    id,
    state,
    cursor: query.cursor,
  });
  const path = `/desk/settings/webhooks/${id}`;
  const next = older(path, { state, cursor: nextCursor }, m);
  return html`<section><h2 id="deliveries">${words.title}</h2>
<form method="get" action="${path}" class="filters"><div><label for="state">${words.state}</label>
${select('state', m.requests.any, Object.entries(words.states), state)}</div><button>${m.requests.show}</button></form>
${
  items.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : table({
        label: words.title,
        columns: [words.event, words.state, words.answer, words.last],
        rows: items.map((delivery) => row(delivery, context)),
        isBlocks: true,
      })
}
${next && html`<p>${next}</p>`}</section>`;
}

function row(delivery: WebhookDelivery, { language, now }: ContactContext) {
  const { m } = language;
  const words = m.settings.deliveries;
  const { state, attempts, createdAt, lastAttemptAt, nextAttemptAt } = delivery;
  return [
    html`${m.events[delivery.eventType]}<br><span class="hint">${formatExactly(createdAt, language)}</span>`,
    html`<span class="badge ${tones[state]}">${words.states[state]}</span>${nextAttemptAt === null ? nothing : html`<br><span class="hint">${words.next} ${formatRelative(nextAttemptAt, now, language)}</span>`}`,
    answerOf(delivery, words),
    html`${lastAttemptAt === null ? m.never : formatExactly(lastAttemptAt, language)}<br><span class="hint">${words.attempts(attempts)}</span>`,
  ];
}

function answerOf(
  { lastStatus, lastFailure }: WebhookDelivery,
  words: Messages['settings']['deliveries'],
): string {
  if (lastFailure !== null) return words.failures[lastFailure];
  return lastStatus === null ? words.notYet : words.answered(String(lastStatus));
}
