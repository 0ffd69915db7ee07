import {
  AccessError,
  type Contact,
  type ContactRoleInput,
  emailInput,
  isLastAdmin,
  isRoleOf,
  maxEmailLength,
  may,
  type NewContactInput,
  type RemoveContactInput,
  type Role,
  rolesOf,
} from '#core';
import { organisationOf } from '../components/account-menu.ts';
import { buttonLink } from '../components/buttons.ts';
import { described, fieldError, ownerFields, radio } from '../components/fields.ts';
import { roleNote } from '../components/role-note.ts';
import { actions, table } from '../components/table.ts';
import { formatExactly } from '../components/time.ts';
import { isOfCompany, type OwnerContext } from '../context.ts';
import { alert, type Html, hidden, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

type Words = Messages['settings'];

const path = '/desk/settings';

/** What is wrong with a form of this page, by its fields. */
interface Feedback {
  readonly errors?: Readonly<Record<string, string>>;
}

interface People {
  list(): Promise<Contact[]>;
  add(input: NewContactInput): Promise<Contact>;
  changeRole(input: ContactRoleInput): Promise<Contact>;
  remove(input: RemoveContactInput): Promise<void>;
}

/** What the caller does about the people of its company or its investor. */
function peopleOf(context: OwnerContext): People {
  if (isOfCompany(context)) {
    const { caller, useCases } = context;
    const { listOwnContacts, addOwnContact, changeOwnContactRole, removeOwnContact } =
      useCases.company;
    return {
      list: () => listOwnContacts(caller),
      add: (input) => addOwnContact(caller, input),
      changeRole: (input) => changeOwnContactRole(caller, input),
      remove: (input) => removeOwnContact(caller, input),
    };
  }
  const { caller, useCases } = context;
  const { listOwnContacts, addOwnContact, changeOwnContactRole, removeOwnContact } =
    useCases.investor;
  return {
    list: () => listOwnContacts(caller),
    add: (input) => addOwnContact(caller, input),
    changeRole: (input) => changeOwnContactRole(caller, input),
    remove: (input) => removeOwnContact(caller, input),
  };
}

/** The people of the caller's organisation, and, for whom may, the form that invites one. */
export async function peopleMain(
  context: OwnerContext,
  { contacts: words }: Words,
  { errors }: Feedback,
): Promise<Html> {
  const { caller, language, mails } = context;
  const people = await peopleOf(context).list();
  const mayManage = may(caller, 'manage_people');
  const rows = people.map((person) => [
    html`<bdi>${person.email}</bdi>${person.id === caller.contactId ? html` <span class="badge">${words.you}</span>` : nothing}`,
    words.roles[person.role],
    formatExactly(person.createdAt, language),
    ...(mayManage ? [isLastAdmin(person, people) ? words.last : actionsOf(person, words)] : []),
  ]);
  const columns = [words.address, words.role, words.since];
  return html`<h2>${words.listTitle}</h2>
<p class="hint">${mails.notices ? words.hint : words.hintNoMail}</p>
${table({
  label: words.listTitle,
  columns: mayManage ? [...columns, actions(words.actions)] : columns,
  rows,
  isBlocks: true,
})}
${mayManage ? inviteForm(context, words, errors) : roleNote(caller, 'manage_people', language)}`;
}

const actionsOf = ({ id, email }: Contact, words: Words['contacts']): Html =>
  html`<span class="inline">${buttonLink(`${path}/contacts/${id}/role`, words.changeRole, 'usual', ` ${email}`)}
<a class="button danger" href="${path}/contacts/${id}/remove" aria-label="${words.removeOf(email)}">${words.remove}</a></span>`;

function inviteForm(
  context: OwnerContext,
  words: Words['contacts'],
  errors: Feedback['errors'],
): Html {
  const { form, caller } = context;
  const error = errors?.email;
  const chosen = (errors && form.text('role')) ?? 'viewer';
  return html`<section class="panel" aria-labelledby="add"><h2 id="add">${words.addTitle}</h2>
<form method="post" action="${path}/contacts/review" class="stack">${ownerFields(context)}
<label for="email">${words.email}</label>
${fieldError('email', error)}
<input id="email" name="email" type="email" maxlength="${maxEmailLength}" autocomplete="off" required value="${error && form.text('email')}"${described('email', error, 'email-hint')}>
<p class="hint" id="email-hint">${words.addHint}</p>
<fieldset><legend>${words.whichRole}</legend>${roleChoices(rolesOf(caller), chosen, words)}</fieldset>
<button>${words.add}</button></form></section>`;
}

const roleChoices = (roles: readonly Role[], chosen: string, words: Words['contacts']): Html =>
  html`${roles.map((role) => radio('role', role, chosen, `${words.roles[role]}: ${words.roleHints[role]}`))}`;

/** Of the form; of one that is none of the side's, nothing. */
function chosenRole({ form, caller }: OwnerContext): Role | undefined {
  const role = form.text('role') ?? '';
  return isRoleOf(caller, role) ? role : undefined;
}

async function findPerson(context: OwnerContext): Promise<Contact> {
  const person = (await peopleOf(context).list()).find(({ id }) => id === context.id);
  if (person === undefined) throw new AccessError('contact_not_found');
  return person;
}

export const peopleDone = ({ contacts: { added, removed, roleChanged } }: Words) => ({
  added,
  removed,
  role: roleChanged,
});

export const peopleRefusals = ({ contacts: words }: Words) => ({
  invalid_parameter: { errors: { email: words.invalid } },
  contact_exists: { errors: { email: words.exists } },
  contact_limit: { errors: { email: words.limit } },
  last_admin: { notice: alert(words.lastTitle, words.last) },
});

/** Where somebody goes on who may have changed what he may do himself. */
function afterOwnRemoval({ caller, setSession }: OwnerContext) {
  if (caller.organisationCount > 1) return { to: '/desk/companies' };
  setSession(null);
  return { to: '/desk/sign-in?because=out' };
}

/** What is changed from this page: each change is confirmed, and made by the last click. */
export const peopleChanges = [
  {
    path: '/settings/contacts',
    formPath: '/settings/contacts/review',
    review(context: OwnerContext, { contacts: words }: Words) {
      const { form, caller } = context;
      const { success, data: email } = emailInput.safeParse(form.text('email'));
      if (!success) return { errors: { email: words.invalid } };
      const role = chosenRole(context) ?? 'viewer';
      return {
        title: words.addReview(email),
        text: [
          words.addText(email, organisationOf(caller)),
          `${words.roles[role]}: ${words.roleHints[role]}.`,
        ],
        button: words.confirmAdd,
        tone: 'primary' as const,
        fields: html`${hidden('email', email)}${hidden('role', role)}`,
      };
    },
    async make(context: OwnerContext) {
      const email = context.form.text('email') ?? '';
      await peopleOf(context).add({ email, role: chosenRole(context) });
      return { to: `${path}?done=added` };
    },
  },
  {
    path: '/settings/contacts/:id/role',
    async review(context: OwnerContext, { contacts: words }: Words) {
      const { email, role } = await findPerson(context);
      return {
        title: words.roleReview(email),
        text: [words.roleText(email)],
        button: words.confirmRole,
        tone: 'primary' as const,
        fields: html`<fieldset><legend>${words.whichRole}</legend>${roleChoices(rolesOf(context.caller), role, words)}</fieldset>`,
      };
    },
    async make(context: OwnerContext) {
      const role = chosenRole(context);
      if (role !== undefined) await peopleOf(context).changeRole({ id: context.id, role });
      return { to: `${path}?done=role` };
    },
  },
  {
    path: '/settings/contacts/:id/remove',
    async review(context: OwnerContext, { contacts: words }: Words) {
      const { caller } = context;
      const name = organisationOf(caller);
      const { id, email } = await findPerson(context);
      const self = html`<strong>${words.removeSelf(name)}</strong>`;
      return {
        title: words.removeReview(email),
        text: [words.removeText(email, name), ...(id === caller.contactId ? [self] : [])],
        button: words.confirmRemove,
        tone: 'danger' as const,
      };
    },
    async make(context: OwnerContext) {
      const { id, caller } = context;
      await peopleOf(context).remove({ id });
      return id === caller.contactId ? afterOwnRemoval(context) : { to: `${path}?done=removed` };
    },
  },
];
