import { AccessError, type WebhookEndpoint, type WebhookTest } from '#core';
import { errorAnswers } from '#http';
import { ownerFields } from '../components/fields.ts';
import { showIfAllowed } from '../components/role-note.ts';
import { formatExactly } from '../components/time.ts';
import type { OwnerContext, Page, PageResult } from '../context.ts';
import { alert, fact, type Html, html, nothing, success } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { forOwners, type Route } from '../route.ts';
import { type Confirmation, settingsRoutes } from './changes.ts';
import { deliveriesSection } from './deliveries.ts';
import { type Feedback, settingsPage, settingsWords } from './settings-page.ts';
import { endpointBadge, endpointState, eventNames } from './webhooks.ts';

const list = '/desk/settings/webhooks';

const readEndpoint = (context: OwnerContext): Promise<WebhookEndpoint> =>
  context.own.readWebhookEndpoint({ id: context.id });

async function endpointPage(context: OwnerContext, feedback: Feedback): Promise<Page> {
  const { language, now } = context;
  const { webhooks: words } = settingsWords(context);
  const endpoint = await readEndpoint(context);
  const state = await endpointState(endpoint, context);
  const { id, url, types, createdAt, previousSecretUntil: until, disabledAt } = endpoint;
  return settingsPage('webhooks', context, {
    ...feedback,
    title: words.endpointTitle,
    path: `${list}/${id}`,
    live: { look: 'deliveries', endpointId: id },
    parent: { path: list, title: language.m.settings.tabs.webhooks },
    main: html`<section class="panel"><p><strong><bdi dir="ltr">${url}</bdi></strong> ${endpointBadge(state, language)}</p>
${state === 'enabled' ? nothing : html`<p class="notice wait">${state === 'disabled' ? words.disabledText : words.failingText}</p>`}
<dl class="facts">${fact(words.types, eventNames(types, language))}${fact(words.created, formatExactly(createdAt, language))}${
      disabledAt === null ? nothing : fact(words.disabled, formatExactly(disabledAt, language))
    }${until !== null && until > now ? fact(words.oldSecretUntil, formatExactly(until, language)) : nothing}</dl>
${showIfAllowed(context, 'manage_webhooks', () => actions(endpoint, context))}</section>
${await deliveriesSection(endpoint, context)}`,
  });
}

function actions({ id, disabledAt }: WebhookEndpoint, context: OwnerContext): Html {
  const { webhooks: words } = settingsWords(context);
  return html`<div class="inline"><form method="post" action="${list}/${id}/test">${ownerFields(context)}<button>${words.test}</button></form>
${disabledAt === null ? nothing : html`<a class="button" href="${list}/${id}/enable">${words.enable}</a>`}
<a class="button" href="${list}/${id}/rotate">${words.rotate}</a>
<a class="button danger" href="${list}/${id}/remove">${words.remove}</a></div>`;
}

function testNotice({ isDelivered, outcome }: WebhookTest, m: Messages): Html {
  const { webhooks: words, deliveries } = m.settings;
  const answer =
    'status' in outcome
      ? deliveries.answered(String(outcome.status))
      : deliveries.failures[outcome.failure];
  return isDelivered
    ? success(words.testArrived(answer))
    : alert(words.testFailed, words.testReason(answer));
}

async function confirm(
  context: OwnerContext,
  [title, text, button]: readonly [string, string, string],
  tone: Confirmation['tone'] = 'primary',
): Promise<Confirmation> {
  const { url } = await readEndpoint(context);
  return { title, text: [html`<code dir="ltr">${url}</code>`, text], button, tone };
}

/** Rejects a second click while the delivery is pending. */
async function replay(context: OwnerContext): Promise<PageResult> {
  const { id, form } = context;
  const { m } = context.language;
  const { deliveries: words } = m.settings;
  try {
    await context.own.replayWebhook({ id, eventId: form.text('event') ?? '' });
    return { to: `${list}/${id}?done=replayed#deliveries` };
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    const { code } = error;
    if (code !== 'webhook_delivery_not_found' && code !== 'webhook_endpoint_disabled') throw error;
    const why = code === 'webhook_endpoint_disabled' ? words.replayDisabled : words.replayOnItsWay;
    const notice = alert(words.replayFailed, why);
    return endpointPage(context, { notice, status: errorAnswers[code].status });
  }
}

export const endpointRoutes: Route[] = [
  ...settingsRoutes({
    path: '/settings/webhooks/:id',
    permission: 'manage_webhooks',
    show: endpointPage,
    done: ({ webhooks: { isEnabled }, deliveries: { replayed } }) => ({
      enabled: isEnabled,
      replayed,
    }),
    refusals: ({ webhooks: words }, m) => ({
      webhook_endpoint_conflict: { notice: alert(m.nothingChanged, words.conflict) },
    }),
    changes: [
      {
        path: '/settings/webhooks/:id/rotate',
        isOnce: true,
        review: (context, { webhooks: words }) =>
          confirm(context, [words.rotateReview, words.rotateText, words.confirmRotate]),
        async make(context, { webhooks: words }) {
          const { secret } = await context.own.rotateWebhookEndpoint({ id: context.id });
          return { title: words.newSecretTitle, text: words.rotatedText, secret };
        },
      },
      {
        path: '/settings/webhooks/:id/enable',
        review: (context, { webhooks: words }) =>
          confirm(context, [words.enableReview, words.enableText, words.confirmEnable]),
        async make(context) {
          await context.own.enableWebhookEndpoint({ id: context.id });
          return { to: `${list}/${context.id}?done=enabled` };
        },
      },
      {
        path: '/settings/webhooks/:id/remove',
        review: (context, { webhooks: words }) =>
          confirm(context, [words.removeReview, words.removeText, words.confirmRemove], 'danger'),
        async make(context) {
          await context.own.removeWebhookEndpoint({ id: context.id });
          return { to: `${list}?done=removed` };
        },
      },
    ],
  }),
  ...forOwners.post('/settings/webhooks/:id/test', async (context) => {
    const { language, id } = context;
    const result = await context.own.testWebhookEndpoint({ id });
    return endpointPage(context, { notice: testNotice(result, language.m) });
  }),
  ...forOwners.post('/settings/webhooks/:id/replay', replay),
];
