import {
  type EventType,
  eventTypes,
  isFailing,
  maxWebhookUrlLength,
  type WebhookEndpoint,
} from '#core';
import { checkbox, field, groupError, ownerFields, radio } from '../components/fields.ts';
import { emptyState } from '../components/lists.ts';
import { showIfAllowed } from '../components/role-note.ts';
import { table } from '../components/table.ts';
import { formatDay } from '../components/time.ts';
import type { OwnerContext, Page } from '../context.ts';
import { type Html, hidden, html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { settingsRoutes } from './changes.ts';
import { type Feedback, settingsPage, settingsWords } from './settings-page.ts';

const path = '/desk/settings/webhooks';

async function webhooksPage(context: OwnerContext, feedback: Feedback): Promise<Page> {
  const { language } = context;
  const { webhooks: words } = settingsWords(context);
  const { items } = await context.own.listWebhookEndpoints();
  const rows = await Promise.all(items.map((endpoint) => row(endpoint, context)));
  return settingsPage('webhooks', context, {
    ...feedback,
    main: html`<p class="lead">${words.lead}</p>
<div class="adding"><div>${
      items.length === 0
        ? emptyState({ title: words.empty, text: words.emptyHint })
        : table({
            label: language.m.settings.tabs.webhooks,
            columns: [words.endpointTitle, language.m.status, words.types, words.created],
            rows,
            isBlocks: true,
          })
    }</div>
${showIfAllowed(context, 'manage_webhooks', () => createForm(context, feedback.errors))}</div>`,
  });
}

type EndpointState = 'enabled' | 'failing' | 'disabled';

export async function endpointState(
  { id, disabledAt }: WebhookEndpoint,
  context: OwnerContext,
): Promise<EndpointState> {
  if (disabledAt !== null) return 'disabled';
  const { items } = await context.own.listWebhookDeliveries({ id });
  return isFailing(items) ? 'failing' : 'enabled';
}

export const endpointBadge = (state: EndpointState, { m }: Language): Html =>
  html`<span class="badge ${state === 'enabled' ? 'good' : 'bad'}">${m.settings.webhooks[state]}</span>`;

export const eventNames = (types: readonly EventType[], { m, format }: Language): string =>
  types.length === 0
    ? m.settings.webhooks.allEvents
    : format.list(types.map((type) => m.events[type]));

async function row(endpoint: WebhookEndpoint, context: OwnerContext): Promise<Html[]> {
  const { language } = context;
  return [
    html`<a href="${path}/${endpoint.id}"><bdi dir="ltr">${endpoint.url}</bdi></a>`,
    endpointBadge(await endpointState(endpoint, context), language),
    html`${eventNames(endpoint.types, language)}`,
    formatDay(endpoint.createdAt, language),
  ];
}

function createForm(context: OwnerContext, errors: Feedback['errors']): Html {
  const { form } = context;
  const { m } = context.language;
  const { webhooks: words } = settingsWords(context);
  const { url: urlError, types: typesError } = errors ?? {};
  const chosen = errors ? form.all('types') : [];
  const which = (errors && form.text('which')) ?? 'all';
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="${path}/review" class="stack" novalidate>${ownerFields(context)}
${field({ id: 'url', label: words.url, hint: words.urlHint, error: urlError, input: (attributes) => html`<input ${attributes} name="url" type="url" maxlength="${maxWebhookUrlLength}" dir="ltr" placeholder="https://" autocomplete="off" required value="${errors && form.text('url')}">` })}
<fieldset class="which"${typesError && html` aria-describedby="types-error"`}><legend>${words.types}</legend>
${groupError('types', typesError)}
${radio('which', 'all', which, words.whichAll)}
${radio('which', 'some', which, words.whichSome)}
<div class="options">${eventTypes.map((type) => checkbox('types', type, chosen.includes(type), m.events[type]))}</div></fieldset>
<button class="primary">${words.create}</button></form></section>`;
}

/**
 * Returns an empty list for all types, including types that are added later. Returns undefined if the user wants only
 * some types but selected none.
 */
function readTypes({ form }: OwnerContext): EventType[] | undefined {
  if (form.text('which') !== 'some') return [];
  const types = eventTypes.filter((type) => form.all('types').includes(type));
  return types.length === 0 ? undefined : types;
}

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
        if (types === undefined) return { errors: { types: words.typesError } };
        return {
          title: words.createReview,
          text: [
            words.createText,
            html`<code dir="ltr">${url}</code>`,
            words.createEvents(eventNames(types, language)),
          ],
          button: words.confirmCreate,
          tone: 'primary',
          fields: html`${hidden('url', url)}${hidden('which', types.length === 0 ? 'all' : 'some')}${types.map((type) => hidden('types', type))}`,
        };
      },
      async make(context, { webhooks: words }) {
        const { form } = context;
        const types = readTypes(context);
        if (types === undefined) return { errors: { types: words.typesError } };
        const { endpoint, secret } = await context.own.createWebhookEndpoint({
          url: form.text('url') ?? '',
          types,
        });
        const back = `${path}/${endpoint.id}`;
        return { title: words.newTitle, text: words.newText, secret, back };
      },
    },
  ],
});
