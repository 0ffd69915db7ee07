import { AccessError, type Contact, emailInput, maxEmailLength } from '#core';
import { errorAnswers } from '#http';
import { companyFields } from '../../components/layout.ts';
import { formatExactly } from '../../components/request-facts.ts';
import type { ContactContext, Page } from '../../context.ts';
import { alert, type Html, hidden, html, nothing, success } from '../../html.ts';
import type { Route } from '../../route.ts';
import { attempt, described, type Feedback, fieldError, settingsPage } from './components.ts';
import { confirmationPage } from './confirmation.ts';

const path = '/desk/settings';

async function contactsPage(context: ContactContext, feedback: Feedback = {}): Promise<Page> {
  const { caller, useCases, language, form, mails } = context;
  const { contacts: words, tabs } = language.m.settings;
  const contacts = await useCases.company.listOwnContacts(caller);
  const isLast = contacts.length === 1;
  const { refused } = feedback;
  return settingsPage('contacts', language.m, {
    title: tabs.contacts,
    status: feedback.status ?? refused?.status ?? 200,
    isStill: feedback.notice !== undefined || refused !== undefined,
    main: html`${feedback.notice ?? nothing}
<section class="panel" aria-labelledby="contacts"><h2 id="contacts">${words.listTitle}</h2>
<p class="hint">${mails.notices ? words.hint : words.hintNoMail}</p>
<ul class="lines">${contacts.map((contact) => line(contact, context, isLast))}</ul></section>
<section class="panel" aria-labelledby="add"><h2 id="add">${words.addTitle}</h2>
<form method="post" action="${path}/contacts/review" class="stack">${companyFields(context)}
<label for="email">${words.email}</label>
${fieldError('email', refused)}
<input id="email" name="email" type="email" maxlength="${maxEmailLength}" autocomplete="off" required value="${refused === undefined ? '' : (form.text('email') ?? '')}"${described('email', refused, 'email-hint')}>
<p class="hint" id="email-hint">${words.addHint}</p>
<button>${words.add}</button></form></section>`,
  });
}

function line(contact: Contact, { caller, language }: ContactContext, isLast: boolean): Html {
  const { contacts: words } = language.m.settings;
  return html`<li><span><bdi>${contact.email}</bdi>${contact.id === caller.contactId ? html` <span class="badge">${words.you}</span>` : nothing}<br>
<span class="hint">${words.since} ${formatExactly(contact.createdAt, language)}</span></span>
${
  isLast
    ? html`<span class="hint">${words.last}</span>`
    : html`<a class="button danger" href="${path}/contacts/${contact.id}/remove" aria-label="${words.removeOf(contact.email)}">${words.remove}</a>`
}</li>`;
}

/** The page again, with why nothing was changed; null when the failure is another one. */
const whyRefused =
  (context: ContactContext) =>
  ({ code }: AccessError): Promise<Page> | null => {
    const { contacts: words } = context.language.m.settings;
    const mend = (error: string, status: number) =>
      contactsPage(context, { refused: { field: 'email', error, status } });
    switch (code) {
      case 'invalid_parameter':
        return mend(words.invalid, 422);
      case 'contact_exists':
        return mend(words.exists, errorAnswers[code].status);
      case 'contact_limit':
        return mend(words.limit, errorAnswers[code].status);
      case 'last_contact':
        return contactsPage(context, {
          notice: alert(words.lastTitle, words.last),
          status: errorAnswers[code].status,
        });
      default:
        return null;
    }
  };

async function findContact({ useCases, caller, params }: ContactContext): Promise<Contact> {
  const contacts = await useCases.company.listOwnContacts(caller);
  const contact = contacts.find(({ id }) => id === params.id);
  if (contact === undefined) throw new AccessError('contact_not_found');
  return contact;
}

export const contactRoutes: Route[] = [
  {
    method: 'GET',
    path: '/settings',
    access: 'contact',
    async handle(context) {
      const { contacts: words } = context.language.m.settings;
      const done = new Map([
        ['added', words.added],
        ['removed', words.removed],
      ]);
      const text = done.get(context.query.done ?? '');
      return contactsPage(context, text === undefined ? {} : { notice: success(text) });
    },
  },
  {
    method: 'POST',
    path: '/settings/contacts/review',
    access: 'contact',
    async handle(context) {
      const { contacts: words } = context.language.m.settings;
      const { success: isAddress, data: email } = emailInput.safeParse(context.form.text('email'));
      if (!isAddress) {
        const refused = { field: 'email', error: words.invalid, status: 422 };
        return contactsPage(context, { refused });
      }
      return confirmationPage(context, {
        title: words.addReview(email),
        text: [words.addText(email, context.caller.companyName)],
        action: `${path}/contacts`,
        button: words.confirmAdd,
        tone: 'primary',
        back: path,
        fields: hidden('email', email),
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/contacts',
    access: 'contact',
    async handle(context) {
      const { caller, useCases, form } = context;
      return attempt(async () => {
        await useCases.company.addOwnContact(caller, { email: form.text('email') ?? '' });
        return { to: `${path}?done=added` };
      }, whyRefused(context));
    },
  },
  {
    method: 'GET',
    path: '/settings/contacts/:id/remove',
    access: 'contact',
    async handle(context) {
      const { contacts: words } = context.language.m.settings;
      const contact = await findContact(context);
      const isSelf = contact.id === context.caller.contactId;
      const { companyName } = context.caller;
      return confirmationPage(context, {
        title: words.removeReview(contact.email),
        text: [
          words.removeText(contact.email, companyName),
          ...(isSelf ? [html`<strong>${words.removeSelf(companyName)}</strong>`] : []),
        ],
        action: `${path}/contacts/${contact.id}/remove`,
        button: words.confirmRemove,
        tone: 'danger',
        back: path,
      });
    },
  },
  {
    method: 'POST',
    path: '/settings/contacts/:id/remove',
    access: 'contact',
    async handle(context) {
      const { caller, useCases, params } = context;
      const id = params.id ?? '';
      return attempt(async () => {
        await useCases.company.removeOwnContact(caller, { id });
        if (id !== caller.contactId) return { to: `${path}?done=removed` };
        if (caller.companyCount > 1) return { to: '/desk/companies' };
        context.setSession(null);
        return { to: '/desk/sign-in?because=out' };
      }, whyRefused(context));
    },
  },
];
