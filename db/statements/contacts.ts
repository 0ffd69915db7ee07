import type { RawBuilder } from 'kysely';
import type { ChangedContacts, Contact, Contacts, MailReader } from '#core';
import { type Row, type Store, type Stores, sql } from '../connections/store.ts';
import { ContactEntity } from '../entities/identity.ts';
import { MailEntity } from '../entities/mail.ts';
import { checkCredential } from './acting-credentials.ts';
import { isOf, lockOwner, ownerColumns, storeOf, toOwner } from './rows.ts';
import { updateWithLogEntry, withLogEntry } from './settings-changes.ts';

export function createContacts(stores: Stores): Contacts {
  const store = stores.requests;
  return {
    find: contactsIn(store).find,

    list: (owner) => contactsIn(storeOf(stores, owner)).list(owner),

    findMailReader: (id) =>
      store.first(sql<MailReader>`select ${readerColumns} from contact where id = ${id}`),

    async saveLocale(email, { language, timeZone }) {
      await store.run(sql`
        update contact set language = coalesce(${language}, language),
          time_zone = coalesce(time_zone, ${timeZone})
        where email = ${email}`);
    },

    // Uses connections that see all rows, because a session depends on every contact with the session's email address.
    transact: (owner, credential, work) =>
      store.transact(async (inside) => {
        await lockOwner(inside, owner);
        await checkCredential(inside, credential);
        return work(contactsIn(inside));
      }),
  };
}

export const readerColumns = sql`id, email, role, language, time_zone as "timeZone",
  coalesce(news_choices, '{}') as choices`;

function contactsIn(store: Store): ChangedContacts {
  const oldestFirst = store.build
    .selectFrom('contact')
    .selectAll()
    .orderBy('createdAt')
    .orderBy('id');

  return {
    add: ({ owner, ...contact }, invitationId, change) =>
      withLogEntry(store, change, async (inside) => {
        const added = await inside.run(
          inside.build
            .insertInto('contact')
            .values({ ...contact, ...ownerColumns(owner) })
            .onConflict((conflict) => conflict.doNothing())
            .returning('id'),
        );
        if (added.length === 0) return false;
        if (invitationId !== undefined)
          await inside.insert(MailEntity, {
            id: invitationId,
            settingsChangeId: change.id,
            ...ownerColumns(owner),
            contactId: contact.id,
            email: contact.email,
            kind: 'contact_invited',
            state: 'waiting',
            attempts: 0,
            nextAttemptAt: contact.createdAt,
            createdAt: contact.createdAt,
          });
        return true;
      }),

    async find(id) {
      const row = await store.first(oldestFirst.where('id', '=', id));
      return row && toContact(row);
    },

    saveRole: (id, role, change) =>
      updateWithLogEntry(store, change, ContactEntity, { id }, { role }),

    async saveMailSettings(id, { language, timeZone, choices }) {
      await store.update(ContactEntity, { id }, { language, timeZone, newsChoices: choices });
    },

    list: async (owner) => (await store.run(oldestFirst.where(isOf(owner)))).map(toContact),

    remove: (id, change) =>
      withLogEntry(
        store,
        change,
        async (inside) => (await removeContacts(inside, sql`id = ${id}`)).length > 0,
      ),
  };
}

type Removed = Pick<Row<'contact'>, 'id' | 'email' | 'companyId' | 'investorId'>;

/** Also removes the sessions and sign-in links of an address without any other contact. */
export async function removeContacts(
  inside: Store,
  isAffected: RawBuilder<unknown>,
): Promise<Removed[]> {
  const removed = await inside.run(sql<Removed>`
    delete from contact where ${isAffected}
    returning id, email, company_id as "companyId", investor_id as "investorId"`);
  const emails = removed.map(({ email }) => email);
  for (const table of ['desk_session', 'sign_in_link']) {
    await inside.run(sql`
      delete from ${sql.table(table)}
      where email = any(${emails}::text[])
        and email not in (select email from contact where email = any(${emails}::text[]))`);
  }
  return removed;
}

function toContact({ id, companyId, investorId, email, role, createdAt }: Row<'contact'>): Contact {
  return { id, owner: toOwner({ companyId, investorId }), email, role, createdAt };
}
