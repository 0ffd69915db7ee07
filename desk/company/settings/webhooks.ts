import { type EventType, eventTypes, maxWebhookUrlLength, may, type WebhookEndpoint } from '#core';
import { checkbox, companyFields, described, fieldError } from '../../components/fields.ts';
import { roleNote } from '../../components/role-note.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, hidden, html } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { settingsRoutes } from './changes.ts';
import { type Feedback, settingsPage } from './settings-page.ts';

const path = '/desk/settings/webhooks';

async function webhooksPage(context: ContactContext, feedback: Feedback): Promise<Page> {
  const { caller, useCases, language } = context;
  const { webhooks: words } = language.m.settings;
  const { items } = await useCases.company.listWebhookEndpoints(caller);
  return settingsPage('webhooks', context, feedback, {
    main: html`<p class="lead">${words.lead}</p>
${
  items.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : html`<div class="panel"><ul class="lines">${items.map((endpoint) => line(endpoint, language))}</ul></div>`
}
${may(context.caller, 'manage_webhooks') ? createForm(context, feedback.errors?.url) : roleNote(context.caller, 'manage_webhooks', language)}`,
  });
}

export function endpointBadge({ disabledAt }: WebhookEndpoint, { m }: Language): Html {
  const { enabled, disabled } = m.settings.webhooks;
  return disabledAt === null
    ? html`<span class="badge good">${enabled}</span>`
    : html`<span class="badge bad">${disabled}</span>`;
}

/** The events that an endpoint is told of, in words. */
export const eventNames = (types: readonly EventType[], { m, format }: Language): string =>
  types.length === 0
    ? m.settings.webhooks.allEvents
    : format.list(types.map((type) => m.events[type]));

const line = (endpoint: WebhookEndpoint, language: Language): Html =>
  html`<li><span><a href="${path}/${endpoint.id}"><bdi dir="ltr">${endpoint.url}</bdi></a><br>
<span class="hint">${eventNames(endpoint.types, language)}</span></span>${endpointBadge(endpoint, language)}</li>`;

function createForm(context: ContactContext, error: string | undefined): Html {
  const { form } = context;
  const { m } = context.language;
  const { webhooks: words } = m.settings;
  const chosen = error === undefined ? [] : form.all('types');
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="${path}/review" class="stack" novalidate>${companyFields(context)}
<label for="url">${words.url}</label>
${fieldError('url', error)}
<input id="url" name="url" type="url" maxlength="${maxWebhookUrlLength}" dir="ltr" placeholder="https://" autocomplete="off" required value="${error && form.text('url')}"${described('url', error, 'url-hint')}>
<p class="hint" id="url-hint">${words.urlHint}</p>
<fieldset><legend>${words.types}</legend><p class="hint">${words.typesHint}</p>
${eventTypes.map((type) => checkbox('types', type, chosen.includes(type), m.events[type]))}</fieldset>
<button>${words.create}</button></form></section>`;
}

const readTypes = ({ form }: ContactContext): EventType[] =>
  eventTypes.filter((type) => form.all('types').includes(type));

export const webhookRoutes = settingsRoutes({
  path: '/settings/webhooks',
  permission: 'manage_webhooks',
  show: webhooksPage,
  done: ({ webhooks: { removed } }) => ({ removed }),
  refusals: ({ webhooks: words }) => ({
    invalid_parameter: { errors: { url: words.invalid } },
    webhook_endpoint_limit: { errors: { url: words.limit } },
  }),
  changes: [
    {
      path: '/settings/webhooks',
      formPath: '/settings/webhooks/review',
      isOnce: true,
      review(context, { webhooks: words }) {
        const { language, form } = context;
        const url = form.text('url');
        if (url === undefined || !URL.canParse(url)) return { errors: { url: words.invalid } };
        const types = readTypes(context);
        return {
          title: words.createReview,
          text: [
            words.createText,
            html`<code dir="ltr">${url}</code>`,
            words.createEvents(eventNames(types, language)),
          ],
          button: words.confirmCreate,
          tone: 'primary',
          fields: html`${hidden('url', url)}${types.map((type) => hidden('types', type))}`,
        };
      },
      async make(context, { webhooks: words }) {
        const { caller, useCases, form } = context;
        const { endpoint, secret } = await useCases.company.createWebhookEndpoint(caller, {
          url: form.text('url') ?? '',
          types: readTypes(context),
        });
        const back = `${path}/${endpoint.id}`;
        return { title: words.newTitle, text: words.newText, secret, back };
      },
    },
  ],
});
