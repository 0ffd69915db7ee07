import { may, type WebhookEndpoint, type WebhookTest } from '#core';
import { companyFields } from '../../components/fields.ts';
import { roleNote } from '../../components/role-note.ts';
import { formatExactly } from '../../components/time.ts';
import type { ContactContext, Page } from '../../context.ts';
import { alert, fact, type Html, html, nothing, success } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';
import { forContacts, type Route } from '../../route.ts';
import { settingsRoutes } from './changes.ts';
import { deliveriesSection } from './deliveries.ts';
import { type Feedback, settingsPage } from './settings-page.ts';
import { endpointBadge, eventNames } from './webhooks.ts';

const list = '/desk/settings/webhooks';

const readEndpoint = ({ useCases, caller, id }: ContactContext): Promise<WebhookEndpoint> =>
  useCases.company.readWebhookEndpoint(caller, { id });

async function endpointPage(context: ContactContext, feedback: Feedback): Promise<Page> {
  const { language, now } = context;
  const { webhooks: words } = language.m.settings;
  const endpoint = await readEndpoint(context);
  const { id, url, types, createdAt, previousSecretUntil: until, disabledAt } = endpoint;
  return settingsPage('webhooks', context, feedback, {
    title: words.endpointTitle,
    path: `${list}/${id}`,
    main: html`<section class="panel"><p><strong><bdi dir="ltr">${url}</bdi></strong> ${endpointBadge(endpoint, language)}</p>
${disabledAt === null ? nothing : html`<p>${words.disabledText}</p>`}
<dl class="facts">${fact(words.types, eventNames(types, language))}${fact(words.created, formatExactly(createdAt, language))}${
      disabledAt === null ? nothing : fact(words.disabledAt, formatExactly(disabledAt, language))
    }${until !== null && until > now ? fact(words.oldSecretUntil, formatExactly(until, language)) : nothing}</dl>
${may(context.caller, 'manage_webhooks') ? actions(endpoint, context) : roleNote(context.caller, 'manage_webhooks', language)}</section>
${await deliveriesSection(id, context)}`,
  });
}

function actions({ id, disabledAt }: WebhookEndpoint, context: ContactContext): Html {
  const { webhooks: words } = context.language.m.settings;
  return html`<div class="inline"><form method="post" action="${list}/${id}/test">${companyFields(context)}<button>${words.test}</button></form>
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

const addressOf = async (context: ContactContext): Promise<Html> =>
  html`<code dir="ltr">${(await readEndpoint(context)).url}</code>`;

export const endpointRoutes: Route[] = [
  ...settingsRoutes({
    path: '/settings/webhooks/:id',
    permission: 'manage_webhooks',
    show: endpointPage,
    done: ({ webhooks: { isEnabled } }) => ({ enabled: isEnabled }),
    refusals: ({ webhooks: words }) => ({
      webhook_endpoint_conflict: { notice: alert(words.conflictTitle, words.conflict) },
    }),
    changes: [
      {
        path: '/settings/webhooks/:id/rotate',
        isOnce: true,
        async review(context, { webhooks: words }) {
          return {
            title: words.rotateReview,
            text: [await addressOf(context), words.rotateText],
            button: words.confirmRotate,
            tone: 'primary',
          };
        },
        async make({ caller, useCases, id }, { webhooks: words }) {
          const { secret } = await useCases.company.rotateWebhookEndpoint(caller, { id });
          return { title: words.newSecretTitle, text: words.rotatedText, secret };
        },
      },
      {
        path: '/settings/webhooks/:id/enable',
        async review(context, { webhooks: words }) {
          return {
            title: words.enableReview,
            text: [await addressOf(context), words.enableText],
            button: words.confirmEnable,
            tone: 'primary',
          };
        },
        async make({ caller, useCases, id }) {
          await useCases.company.enableWebhookEndpoint(caller, { id });
          return { to: `${list}/${id}?done=enabled` };
        },
      },
      {
        path: '/settings/webhooks/:id/remove',
        async review(context, { webhooks: words }) {
          return {
            title: words.removeReview,
            text: [await addressOf(context), words.removeText],
            button: words.confirmRemove,
            tone: 'danger',
          };
        },
        async make({ caller, useCases, id }) {
          await useCases.company.removeWebhookEndpoint(caller, { id });
          return { to: `${list}?done=removed` };
        },
      },
    ],
  }),
  forContacts.post('/settings/webhooks/:id/test', async (context) => {
    const { caller, useCases, language, id } = context;
    const result = await useCases.company.testWebhookEndpoint(caller, { id });
    return endpointPage(context, { notice: testNotice(result, language.m) });
  }),
];
