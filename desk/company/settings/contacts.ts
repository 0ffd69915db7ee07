import { AccessError, type Contact, emailInput, maxEmailLength } from '#core';
import { companyFields, described, fieldError } from '../../components/fields.ts';
import { formatExactly } from '../../components/time.ts';
import type { ContactContext, Page } from '../../context.ts';
import { alert, type Html, hidden, html, nothing } from '../../html.ts';
import { settingsRoutes } from './changes.ts';
import { type Feedback, settingsPage } from './settings-page.ts';

const path = '/desk/settings';

async function contactsPage(context: ContactContext, feedback: Feedback): Promise<Page> {
  const { caller, useCases, language, form, mails } = context;
  const { contacts: words } = language.m.settings;
  const contacts = await useCases.company.listOwnContacts(caller);
  const error = feedback.errors?.email;
  return settingsPage('contacts', context, feedback, {
    main: html`<section class="panel" aria-labelledby="contacts"><h2 id="contacts">${words.listTitle}</h2>
<p class="hint">${mails.notices ? words.hint : words.hintNoMail}</p>
<ul class="lines">${contacts.map((contact) => line(contact, context, contacts.length === 1))}</ul></section>
<section class="panel" aria-labelledby="add"><h2 id="add">${words.addTitle}</h2>
<form method="post" action="${path}/contacts/review" class="stack">${companyFields(context)}
<label for="email">${words.email}</label>
${fieldError('email', error)}
<input id="email" name="email" type="email" maxlength="${maxEmailLength}" autocomplete="off" required value="${error && form.text('email')}"${described('email', error, 'email-hint')}>
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

async function findContact({ useCases, caller, id }: ContactContext): Promise<Contact> {
  const contacts = await useCases.company.listOwnContacts(caller);
  const contact = contacts.find((each) => each.id === id);
  if (contact === undefined) throw new AccessError('contact_not_found');
  return contact;
}

export const contactRoutes = settingsRoutes({
  path: '/settings',
  show: contactsPage,
  done: ({ contacts: { added, removed } }) => ({ added, removed }),
  refusals: ({ contacts: words }) => ({
    invalid_parameter: { errors: { email: words.invalid } },
    contact_exists: { errors: { email: words.exists } },
    contact_limit: { errors: { email: words.limit } },
    last_contact: { notice: alert(words.lastTitle, words.last) },
  }),
  changes: [
    {
      path: '/settings/contacts',
      formPath: '/settings/contacts/review',
      review({ form, caller }, { contacts: words }) {
        const { success, data: email } = emailInput.safeParse(form.text('email'));
        if (!success) return { errors: { email: words.invalid } };
        return {
          title: words.addReview(email),
          text: [words.addText(email, caller.companyName)],
          button: words.confirmAdd,
          tone: 'primary',
          fields: hidden('email', email),
        };
      },
      async make({ caller, useCases, form }) {
        await useCases.company.addOwnContact(caller, { email: form.text('email') ?? '' });
        return { to: `${path}?done=added` };
      },
    },
    {
      path: '/settings/contacts/:id/remove',
      async review(context, { contacts: words }) {
        const { caller } = context;
        const { id, email } = await findContact(context);
        const isSelf = id === caller.contactId;
        const self = html`<strong>${words.removeSelf(caller.companyName)}</strong>`;
        return {
          title: words.removeReview(email),
          text: [words.removeText(email, caller.companyName), ...(isSelf ? [self] : [])],
          button: words.confirmRemove,
          tone: 'danger',
        };
      },
      async make({ caller, useCases, id, setSession }) {
        await useCases.company.removeOwnContact(caller, { id });
        if (id !== caller.contactId) return { to: `${path}?done=removed` };
        if (caller.organisationCount > 1) return { to: '/desk/companies' };
        setSession(null);
        return { to: '/desk/sign-in?because=out' };
      },
    },
  ],
});
