import {
  type AccessError,
  type AccessEventType,
  accessEventTypes,
  maxWebhookUrlLength,
  type WebhookEndpoint,
} from '#core';
import { errorAnswers } from '#http';
import { claimFormToken, doneAlreadyPage, formTokenField } from '../../components/form-token.ts';
import { companyFields } from '../../components/layout.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, hidden, html, nothing, success } from '../../html.ts';
import type { Route } from '../../route.ts';
import {
  attempt,
  described,
  type Feedback,
  fieldError,
  type Refused,
  settingsPage,
} from './components.ts';
import { confirmationPage } from './confirmation.ts';
import { secretPage } from './secret.ts';

const path = '/desk/settings/webhooks';

async function webhooksPage(context: ContactContext, feedback: Feedback = {}): Promise<Page> {
  const { caller, useCases, language } = context;
  const { webhooks: words, tabs } = language.m.settings;
  const { items } = await useCases.company.listWebhookEndpoints(caller);
  return settingsPage('webhooks', language.m, {
    title: tabs.webhooks,
    status: feedback.refused?.status ?? 200,
    isStill: feedback.notice !== undefined || feedback.refused !== undefined,
    main: html`${feedback.notice ?? nothing}
<p class="lead">${words.lead}</p>
${
  items.length === 0
    ? html`<p class="empty">${words.empty}</p>`
    : html`<div class="panel"><ul class="lines">${items.map((endpoint) => line(endpoint, context))}</ul></div>`
}
${createForm(context, feedback.refused)}`,
  });
}

export const endpointBadge = (
  { disabledAt }: WebhookEndpoint,
  { language: { m } }: Pick<ContactContext, 'language'>,
): Html =>
  disabledAt === null
    ? html`<span class="badge good">${m.settings.webhooks.enabled}</span>`
    : html`<span class="badge bad">${m.settings.webhooks.disabled}</span>`;

/** The events that an endpoint is told of, in words. */
export function eventNames(
  types: readonly AccessEventType[],
  { language: { m, format } }: Pick<ContactContext, 'language'>,
): string {
  return types.length === 0
    ? m.settings.webhooks.allEvents
    : format.list(types.map((type) => m.events[type]));
}

function line(endpoint: WebhookEndpoint, context: ContactContext): Html {
  return html`<li><span><a href="${path}/${endpoint.id}"><bdi dir="ltr">${endpoint.url}</bdi></a><br>
<span class="hint">${eventNames(endpoint.types, context)}</span></span>${endpointBadge(endpoint, context)}</li>`;
}

function createForm(context: ContactContext, refused: Refused | undefined): Html {
  const { language, form } = context;
  const { m } = language;
  const { webhooks: words } = m.settings;
  const chosen = refused === undefined ? [] : form.all('types');
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="${path}/review" class="stack" novalidate>${companyFields(context)}
<label for="url">${words.url}</label>
${fieldError('url', refused)}
<input id="url" name="url" type="url" maxlength="${maxWebhookUrlLength}" dir="ltr" placeholder="https://" autocomplete="off" required value="${refused === undefined ? '' : (form.text('url') ?? '')}"${described('url', refused, 'url-hint')}>
<p class="hint" id="url-hint">${words.urlHint}</p>
<fieldset><legend>${words.types}</legend><p class="hint">${words.typesHint}</p>
${accessEventTypes.map(
  (type) =>
    html`<label class="option"><input type="checkbox" name="types" value="${type}"${chosen.includes(type) ? html` checked` : nothing}> <span>${m.events[type]}</span></label>`,
)}</fieldset>
<button>${words.create}</button></form></section>`;
}

const readTypes = ({ form }: ContactContext): AccessEventType[] =>
  accessEventTypes.filter((type) => form.all('types').includes(type));

/** The page again, with why nothing was changed; null when the failure is another one. */
const whyRefused =
  (context: ContactContext) =>
  ({ code }: AccessError): Promise<Page> | null => {
    const { webhooks: words } = context.language.m.settings;
    const mend = (error: string, status: number) =>
      webhooksPage(context, { refused: { field: 'url', error, status } });
    if (code === 'invalid_parameter') return mend(words.invalid, 422);
    if (code === 'webhook_endpoint_limit') return mend(words.limit, errorAnswers[code].status);
    return null;
  };

export const webhookRoutes: Route[] = [
  {
    method: 'GET',
    path: '/settings/webhooks',
    access: 'contact',
    async handle(context) {
      const { webhooks: words } = context.language.m.settings;
      return webhooksPage(
        context,
        context.query.done === 'removed' ? { notice: success(words.removed) } : {},
      );
    },
  },
  {
    method: 'POST',
    path: '/settings/webhooks/review',
    access: 'contact',
    async handle(context) {
      const { webhooks: words } = context.language.m.settings;
      const url = context.form.text('url');
      if (url === undefined || !URL.canParse(url)) {
        return webhooksPage(context, {
          refused: { field: 'url', error: words.invalid, status: 422 },
        });
      }
      const types = readTypes(context);
      return confirmationPage(context, {
        title: words.createReview,
        text: [
          words.createText,
          html`<code dir="ltr">${url}</code>`,
          words.createEvents(eventNames(types, context)),
        ],
        action: path,
        button: words.confirmCreate,
        tone: 'primary',
        back: path,
        fields: html`${formTokenField()}${hidden('url', url)}${types.map((type) =>
          hidden('types', type),
        )}`,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/webhooks',
    access: 'contact',
    async handle(context) {
      const { caller, useCases, form } = context;
      const { webhooks: words } = context.language.m.settings;
      if (!(await claimFormToken(context))) return doneAlreadyPage(context, path);
      return attempt(async () => {
        const url = form.text('url') ?? '';
        const types = readTypes(context);
        const made = await useCases.company.createWebhookEndpoint(caller, { url, types });
        return secretPage(context, {
          title: words.newTitle,
          text: words.newText,
          secret: made.secret,
          back: `${path}/${made.endpoint.id}`,
        });
      }, whyRefused(context));
    },
  },
];
