import { deliveryStates, hasPermission, type WebhookDelivery, type WebhookEndpoint } from '#core';
import { buttonLink, submitButton } from '../components/buttons.ts';
import { ownerFields } from '../components/fields.ts';
import { emptyState, older, select } from '../components/lists.ts';
import { actions, table } from '../components/table.ts';
import { formatExactly, formatRelative } from '../components/time.ts';
import type { OwnerContext } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

const tones = { pending: 'pending', delivered: 'good', failed: 'bad' } as const;

export async function deliveriesSection(
  { id, disabledAt }: WebhookEndpoint,
  context: OwnerContext,
): Promise<Html> {
  const { language, query } = context;
  const { m } = language;
  const words = m.settings.deliveries;
  const state = deliveryStates.find((each) => each === query.state);
  const { items, nextCursor } = await context.own.listWebhookDeliveries({
    id,
    state,
    cursor: query.cursor,
  });
  const path = `/desk/settings/webhooks/${id}`;
  const mayReplay = disabledAt === null && hasPermission(context.caller, 'manage_webhooks');
  const next = older(path, { state, cursor: nextCursor }, m);
  return html`<section><h2 id="deliveries">${words.title}</h2>
<form method="get" action="${path}" class="filters"><div><label for="state">${m.status}</label>
${select('state', m.all, Object.entries(words.states), state)}</div><button>${m.show}</button>
${state === undefined ? nothing : buttonLink(path, m.activity.clear)}</form>
${
  items.length === 0
    ? emptyState(
        state === undefined
          ? { title: words.emptyTitle, text: words.emptyHint }
          : { title: words.noneTitle, text: nothing },
      )
    : table({
        label: words.title,
        columns: [words.event, m.status, words.answer, words.last, actions(words.replay)],
        rows: items.map((delivery) => row(delivery, context, mayReplay)),
        isBlocks: true,
      })
}
${next && html`<p>${next}</p>`}</section>`;
}

function row(delivery: WebhookDelivery, context: OwnerContext, mayReplay: boolean) {
  const { language } = context;
  const { m } = language;
  const words = m.settings.deliveries;
  const { state, attempts, createdAt, lastAttemptAt } = delivery;
  return [
    html`${m.events[delivery.eventType]}<br><span class="hint">${formatExactly(createdAt, language)} · <code class="id" dir="ltr">${delivery.eventId}</code></span>`,
    html`<span class="badge ${tones[state]}">${words.states[state]}</span>${nextOf(delivery, context)}`,
    html`<span class="sentence">${answerOf(delivery, words)}</span>`,
    lastAttemptAt === null
      ? m.never
      : html`${formatExactly(lastAttemptAt, language)}<br><span class="hint">${words.attempts(attempts)}</span>`,
    mayReplay && state !== 'pending' ? replayForm(delivery, context) : nothing,
  ];
}

/** A delivery that is already due shows no time, because it is sent as soon as possible. */
function nextOf({ nextAttemptAt }: WebhookDelivery, { language, now }: OwnerContext): Html {
  const words = language.m.settings.deliveries;
  if (nextAttemptAt === null) return html``;
  const when =
    nextAttemptAt > now
      ? html`${words.next} ${formatRelative(nextAttemptAt, now, language)}`
      : words.due;
  return html`<br><span class="hint">${when}</span>`;
}

const replayForm = ({ endpointId, eventId }: WebhookDelivery, context: OwnerContext): Html => {
  const { deliveries: words } = context.language.m.settings;
  return html`<form method="post" action="/desk/settings/webhooks/${endpointId}/replay">${ownerFields(context)}${hidden('event', eventId)}
${submitButton(words.replay, 'usual', words.replayOf(eventId))}</form>`;
};

function answerOf(
  { state, lastStatus, lastFailure }: WebhookDelivery,
  words: Messages['settings']['deliveries'],
): string {
  if (lastFailure !== null) return words.failures[lastFailure];
  if (lastStatus !== null) return words.answered(String(lastStatus));
  return state === 'failed' ? words.notSent : words.notYet;
}
