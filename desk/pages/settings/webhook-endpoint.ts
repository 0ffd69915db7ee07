import type { AccessError, WebhookEndpoint, WebhookTest } from '#core';
import { errorAnswers } from '#http';
import { claimFormToken, doneAlreadyPage, formTokenField } from '../../components/form-token.ts';
import { companyFields } from '../../components/layout.ts';
import { formatExactly } from '../../components/request-facts.ts';
import type { ContactContext, Page } from '../../context.ts';
import { alert, fact, type Html, html, nothing, success } from '../../html.ts';
import type { Route } from '../../route.ts';
import { attempt, type Feedback, settingsPage } from './components.ts';
import { confirmationPage } from './confirmation.ts';
import { deliveriesSection } from './deliveries.ts';
import { secretPage } from './secret.ts';
import { endpointBadge, eventNames } from './webhooks.ts';

const list = '/desk/settings/webhooks';

const idOf = ({ params }: ContactContext) => ({ id: params.id ?? '' });

const readEndpoint = (context: ContactContext): Promise<WebhookEndpoint> =>
  context.useCases.company.readWebhookEndpoint(context.caller, idOf(context));

async function endpointPage(context: ContactContext, feedback: Feedback = {}): Promise<Page> {
  const { language, now } = context;
  const { webhooks: words } = language.m.settings;
  const endpoint = await readEndpoint(context);
  const { previousSecretUntil: until, disabledAt } = endpoint;
  return settingsPage('webhooks', language.m, {
    title: words.endpointTitle,
    path: `${list}/${endpoint.id}`,
    status: feedback.status ?? 200,
    isStill: feedback.notice !== undefined,
    main: html`${feedback.notice ?? nothing}
<section class="panel"><p><strong><bdi dir="ltr">${endpoint.url}</bdi></strong> ${endpointBadge(endpoint, context)}</p>
${disabledAt === null ? nothing : html`<p>${words.disabledText}</p>`}
<dl class="facts">${fact(words.types, eventNames(endpoint.types, context))}${fact(words.created, formatExactly(endpoint.createdAt, language))}${
      disabledAt === null ? nothing : fact(words.disabledAt, formatExactly(disabledAt, language))
    }${until !== null && until > now ? fact(words.oldSecretUntil, formatExactly(until, language)) : nothing}</dl>
${actions(endpoint, context)}</section>
${await deliveriesSection(endpoint.id, context)}`,
  });
}

function actions({ id, disabledAt }: WebhookEndpoint, context: ContactContext): Html {
  const { webhooks: words } = context.language.m.settings;
  return html`<div class="inline"><form method="post" action="${list}/${id}/test">${companyFields(context)}<button>${words.test}</button></form>
${disabledAt === null ? nothing : html`<a class="button" href="${list}/${id}/enable">${words.enable}</a>`}
<a class="button" href="${list}/${id}/rotate">${words.rotate}</a>
<a class="button danger" href="${list}/${id}/remove">${words.remove}</a></div>`;
}

function testNotice({ isDelivered, outcome }: WebhookTest, context: ContactContext): Html {
  const { webhooks: words, deliveries } = context.language.m.settings;
  const answer =
    'status' in outcome
      ? deliveries.answered(String(outcome.status))
      : deliveries.failures[outcome.failure];
  return isDelivered
    ? success(words.testArrived(answer))
    : alert(words.testFailed, words.testReason(answer));
}

const whyRefused =
  (context: ContactContext) =>
  ({ code }: AccessError): Promise<Page> | null => {
    if (code !== 'webhook_endpoint_conflict') return null;
    const { webhooks: words } = context.language.m.settings;
    return endpointPage(context, {
      notice: alert(words.conflictTitle, words.conflict),
      status: errorAnswers[code].status,
    });
  };

export const endpointRoutes: Route[] = [
  {
    method: 'GET',
    path: '/settings/webhooks/:id',
    access: 'contact',
    async handle(context) {
      const { webhooks: words } = context.language.m.settings;
      const isEnabled = context.query.done === 'enabled';
      return endpointPage(context, isEnabled ? { notice: success(words.isEnabled) } : {});
    },
  },
  {
    method: 'POST',
    path: '/settings/webhooks/:id/test',
    access: 'contact',
    async handle(context) {
      const { caller, useCases } = context;
      const result = await useCases.company.testWebhookEndpoint(caller, idOf(context));
      return endpointPage(context, { notice: testNotice(result, context) });
    },
  },
  {
    method: 'GET',
    path: '/settings/webhooks/:id/rotate',
    access: 'contact',
    async handle(context) {
      const { webhooks: words } = context.language.m.settings;
      const { id, url } = await readEndpoint(context);
      return confirmationPage(context, {
        title: words.rotateReview,
        text: [html`<code dir="ltr">${url}</code>`, words.rotateText],
        action: `${list}/${id}/rotate`,
        button: words.confirmRotate,
        tone: 'primary',
        back: `${list}/${id}`,
        fields: formTokenField(),
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/webhooks/:id/rotate',
    access: 'contact',
    async handle(context) {
      const { caller, useCases } = context;
      const { webhooks: words } = context.language.m.settings;
      const { id } = await readEndpoint(context);
      const back = `${list}/${id}`;
      if (!(await claimFormToken(context))) return doneAlreadyPage(context, back);
      return attempt(async () => {
        const { secret } = await useCases.company.rotateWebhookEndpoint(caller, { id });
        const { newSecretTitle: title, rotatedText: text } = words;
        return secretPage(context, { title, text, secret, back });
      }, whyRefused(context));
    },
  },
  {
    method: 'GET',
    path: '/settings/webhooks/:id/enable',
    access: 'contact',
    async handle(context) {
      const { webhooks: words } = context.language.m.settings;
      const { id, url } = await readEndpoint(context);
      return confirmationPage(context, {
        title: words.enableReview,
        text: [html`<code dir="ltr">${url}</code>`, words.enableText],
        action: `${list}/${id}/enable`,
        button: words.confirmEnable,
        tone: 'primary',
        back: `${list}/${id}`,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/webhooks/:id/enable',
    access: 'contact',
    async handle(context) {
      const { caller, useCases } = context;
      const { id } = await useCases.company.enableWebhookEndpoint(caller, idOf(context));
      return { to: `${list}/${id}?done=enabled` };
    },
  },
  {
    method: 'GET',
    path: '/settings/webhooks/:id/remove',
    access: 'contact',
    async handle(context) {
      const { webhooks: words } = context.language.m.settings;
      const { id, url } = await readEndpoint(context);
      return confirmationPage(context, {
        title: words.removeReview,
        text: [html`<code dir="ltr">${url}</code>`, words.removeText],
        action: `${list}/${id}/remove`,
        button: words.confirmRemove,
        tone: 'danger',
        back: `${list}/${id}`,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/webhooks/:id/remove',
    access: 'contact',
    async handle(context) {
      await context.useCases.company.removeWebhookEndpoint(context.caller, idOf(context));
      return { to: `${list}?done=removed` };
    },
  },
];
