import type { Contact, Contacts } from '#core';
import { MailEntity } from '../entities/mail.ts';
import { rowScopeOf } from '../row-scope.ts';
import { type Store, type Stores, sql } from '../store.ts';
import { lockCompany } from './rows.ts';

export function createContacts({ scopes, requests: store }: Stores): Contacts {
  return {
    ...contactsIn(store),

    list: (companyId) =>
      contactsIn(
        companyId === null ? store : scopes.requests.scoped(rowScopeOf({ companyId })),
      ).list(companyId),

    // In no scope: whether somebody stays signed in is a question of their address at other companies, too.
    transact: (companyId, work) =>
      store.transact(async (inside) => {
        await lockCompany(inside, companyId);
        return work(contactsIn(inside));
      }),
  };
}

const invite = (id: string, { id: contactId, companyId, email, createdAt }: Contact) => ({
  id,
  eventId: null,
  companyId,
  contactId,
  email,
  kind: 'contact_invited' as const,
  state: 'waiting' as const,
  attempts: 0,
  nextAttemptAt: createdAt,
  lastFailure: null,
  createdAt,
  sentAt: null,
});

function contactsIn(store: Store): Omit<Contacts, 'transact'> {
  const oldestFirst = store.build
    .selectFrom('company_contact')
    .selectAll()
    .orderBy('createdAt')
    .orderBy('id');

  return {
    add: (contact, invitationId) =>
      store.transact(async (inside) => {
        const added = await inside.run(
          inside.build
            .insertInto('company_contact')
            .values(contact)
            .onConflict((conflict) => conflict.columns(['companyId', 'email']).doNothing())
            .returning('id'),
        );
        if (added.length === 0) return false;
        if (invitationId !== undefined)
          await inside.insert(MailEntity, invite(invitationId, contact));
        return true;
      }),

    list: (companyId) =>
      store.run(companyId === null ? oldestFirst : oldestFirst.where('companyId', '=', companyId)),

    remove: (id) =>
      store.transact(async (inside) => {
        const removed = await inside.first(sql<{ email: string }>`
          delete from company_contact where id = ${id} returning email`);
        if (removed === null) return false;
        const { email } = removed;
        for (const table of ['desk_session', 'sign_in_link']) {
          await inside.run(sql`
            delete from ${sql.table(table)}
            where email = ${email} and not exists (select from company_contact where email = ${email})`);
        }
        return true;
      }),
  };
}
