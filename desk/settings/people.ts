import {
  AccessError,
  type Contact,
  emailInput,
  hasPermission,
  isLastAdmin,
  isRoleOf,
  maxEmailLength,
  type Role,
  rolesOf,
} from '#core';
import { organisationOf } from '../components/account-menu.ts';
import { buttonLink } from '../components/buttons.ts';
import { field, ownerFields, radio } from '../components/fields.ts';
import { showIfAllowed } from '../components/role-note.ts';
import { actions, table } from '../components/table.ts';
import { formatDay } from '../components/time.ts';
import type { OwnerContext } from '../context.ts';
import { alert, type Html, hidden, html, nothing } from '../html.ts';
import { settingsRoutes } from './changes.ts';
import { type Feedback, type SettingsWords, settingsPage, settingsWords } from './settings-page.ts';

const path = '/desk/settings';

async function peopleMain(context: OwnerContext, { errors }: Feedback): Promise<Html> {
  const { contacts: words } = settingsWords(context);
  const { caller, language, mails } = context;
  const people = await context.own.listContacts();
  const mayManage = hasPermission(caller, 'manage_people');
  const rows = people.map((person) => [
    html`<bdi>${person.email}</bdi>${person.id === caller.contactId ? html` <span class="badge">${words.you}</span>` : nothing}`,
    mayManage && isLastAdmin(person, people)
      ? html`<span class="long">${words.roles[person.role]}<br><span class="hint">${words.last}</span></span>`
      : words.roles[person.role],
    formatDay(person.createdAt, language),
    ...(mayManage ? [isLastAdmin(person, people) ? nothing : actionsOf(person, words)] : []),
  ]);
  const columns = [words.address, words.role, language.m.since];
  return html`<div class="adding"><div><h2>${words.listTitle}</h2>
<p class="hint">${mails.notices ? words.hint : words.hintNoMail}</p>
${table({
  label: words.listTitle,
  columns: mayManage ? [...columns, actions(language.m.change)] : columns,
  rows,
  isBlocks: true,
})}</div>
${showIfAllowed(context, 'manage_people', () => inviteForm(context, words, errors))}</div>`;
}

const actionsOf = ({ id, email }: Contact, words: SettingsWords['contacts']): Html =>
  html`<div class="actions">${buttonLink(`${path}/contacts/${id}/role`, words.changeRole, 'usual', ` ${email}`)}
<a class="button danger" href="${path}/contacts/${id}/remove" aria-label="${words.removeOf(email)}">${words.remove}</a></div>`;

function inviteForm(
  context: OwnerContext,
  words: SettingsWords['contacts'],
  errors: Feedback['errors'],
): Html {
  const { form, caller } = context;
  const error = errors?.email;
  const chosen = (errors && form.text('role')) ?? 'viewer';
  return html`<section class="panel" aria-labelledby="add"><h2 id="add">${words.addTitle}</h2>
<form method="post" action="${path}/contacts/review" class="stack">${ownerFields(context)}
${field({ id: 'email', label: words.email, hint: words.addHint, error, input: (attributes) => html`<input ${attributes} name="email" type="email" maxlength="${maxEmailLength}" autocomplete="off" required value="${error && form.text('email')}">` })}
<fieldset><legend>${words.whichRole}</legend>${roleChoices(rolesOf(caller), chosen, words)}</fieldset>
<button class="primary">${words.add}</button></form></section>`;
}

const roleChoices = (
  roles: readonly Role[],
  chosen: string,
  words: SettingsWords['contacts'],
): Html =>
  html`${roles.map((role) => radio('role', role, chosen, `${words.roles[role]}: ${words.roleHints[role]}`))}`;

function chosenRole({ form, caller }: OwnerContext): Role | undefined {
  const role = form.text('role') ?? '';
  return isRoleOf(caller, role) ? role : undefined;
}

async function findPerson(context: OwnerContext): Promise<Contact> {
  const person = (await context.own.listContacts()).find(({ id }) => id === context.id);
  if (person === undefined) throw new AccessError('contact_not_found');
  return person;
}

/** For users who have removed their own access. */
function afterOwnRemoval({ caller, setSession }: OwnerContext) {
  if (caller.organisationCount > 1) return { to: '/desk/companies' };
  setSession(null);
  return { to: '/desk/sign-in?because=out' };
}

export const peopleRoutes = settingsRoutes({
  path: '/settings',
  permission: 'manage_people',
  show: async (context, feedback) =>
    settingsPage('contacts', context, { ...feedback, main: await peopleMain(context, feedback) }),
  done: ({ contacts: { added, removed, roleChanged: role } }) => ({ added, removed, role }),
  refusals: ({ contacts: words }, { signIn }) => ({
    invalid_parameter: { errors: { email: signIn.invalidEmail } },
    contact_exists: { errors: { email: words.exists } },
    contact_limit: { errors: { email: words.limit } },
    last_admin: { notice: alert(words.lastTitle, words.last) },
  }),
  changes: [
    {
      path: '/settings/contacts',
      formPath: '/settings/contacts/review',
      review(context, { contacts: words }) {
        const { form, caller, language } = context;
        const { success, data: email } = emailInput.safeParse(form.text('email'));
        if (!success) return { errors: { email: language.m.signIn.invalidEmail } };
        const role = chosenRole(context) ?? 'viewer';
        return {
          title: words.addReview(email),
          text: [
            words.addText(email, organisationOf(caller)),
            `${words.roles[role]}: ${words.roleHints[role]}.`,
          ],
          button: words.confirmAdd,
          tone: 'primary',
          fields: html`${hidden('email', email)}${hidden('role', role)}`,
        };
      },
      async make(context) {
        const email = context.form.text('email') ?? '';
        await context.own.addContact({ email, role: chosenRole(context) });
        return { to: `${path}?done=added` };
      },
    },
    {
      path: '/settings/contacts/:id/role',
      async review(context, { contacts: words }) {
        const { email, role } = await findPerson(context);
        return {
          title: words.roleReview(email),
          text: [words.roleText(email)],
          button: context.language.m.save,
          tone: 'primary',
          fields: html`<fieldset><legend>${words.whichRole}</legend>${roleChoices(rolesOf(context.caller), role, words)}</fieldset>`,
        };
      },
      async make(context) {
        const role = chosenRole(context);
        if (role === undefined) return { to: path };
        await context.own.changeContactRole({ id: context.id, role });
        return { to: `${path}?done=role` };
      },
    },
    {
      path: '/settings/contacts/:id/remove',
      async review(context, { contacts: words }) {
        const { caller } = context;
        const name = organisationOf(caller);
        const { id, email } = await findPerson(context);
        const self = html`<strong>${words.removeSelf(name)}</strong>`;
        return {
          title: words.removeReview(email),
          text: [words.removeText(email, name), ...(id === caller.contactId ? [self] : [])],
          button: words.confirmRemove,
          tone: 'danger',
        };
      },
      async make(context) {
        const { id, caller } = context;
        await context.own.removeContact({ id });
        return id === caller.contactId ? afterOwnRemoval(context) : { to: `${path}?done=removed` };
      },
    },
  ],
});
