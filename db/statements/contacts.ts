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

    // Without a scope, because a session depends on all contacts with its address.
    transact: (owner, credential, work) =>
      store.transact(async (inside) => {
        await lockOwner(inside, owner);
        await checkCredential(inside, credential);
        return work(contactsIn(inside));
      }),
  };
}

/** The columns of a contact who gets mails. */
export const readerColumns = sql`id, email, role, language, time_zone as "timeZone",
  coalesce(news_choices, '{}') as choices`;

const invite = (
  id: string,
  { id: contactId, owner, email, createdAt }: Contact,
  settingsChangeId: string,
) => ({
  id,
  eventId: null,
  settingsChangeId,
  afterPosition: null,
  untilPosition: null,
  aboutCompanyId: null,
  ...ownerColumns(owner),
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

function contactsIn(store: Store): ChangedContacts {
  const oldestFirst = store.build
    .selectFrom('contact')
    .selectAll()
    .orderBy('createdAt')
    .orderBy('id');

  return {
    add: ({ owner, ...contact }, invitationId, change) =>
      withLogEntry(store, change, (whole) =>
        whole.transact(async (inside) => {
          const added = await inside.run(
            inside.build
              .insertInto('contact')
              .values({
                ...contact,
                ...ownerColumns(owner),
                language: null,
                timeZone: null,
                newsChoices: null,
              })
              .onConflict((conflict) => conflict.doNothing())
              .returning('id'),
          );
          if (added.length === 0) return false;
          if (invitationId !== undefined)
            await inside.insert(MailEntity, invite(invitationId, { ...contact, owner }, change.id));
          return true;
        }),
      ),

    async find(id) {
      const row = await store.first(oldestFirst.where('id', '=', id));
      return row && toContact(row);
    },

    saveRole: (id, role, change) =>
      updateWithLogEntry(store, change, ContactEntity, { id }, { role }),

    async saveMailSettings(id, { language, timeZone, choices }) {
      await store.run(sql`
        update contact set language = ${language}, time_zone = ${timeZone},
          news_choices = ${JSON.stringify(choices)}::jsonb
        where id = ${id}`);
    },

    list: async (owner) => (await store.run(oldestFirst.where(isOf(owner)))).map(toContact),

    remove: (id, change) =>
      withLogEntry(store, change, (whole) =>
        whole.transact(async (inside) => {
          const removed = await inside.first(sql<{ email: string }>`
          delete from contact where id = ${id} returning email`);
          if (removed === null) return false;
          const { email } = removed;
          for (const table of ['desk_session', 'sign_in_link']) {
            await inside.run(sql`
            delete from ${sql.table(table)}
            where email = ${email} and not exists (select from contact where email = ${email})`);
          }
          return true;
        }),
      ),
  };
}

function toContact({ id, companyId, investorId, email, role, createdAt }: Row<'contact'>): Contact {
  return { id, owner: toOwner({ companyId, investorId }), email, role, createdAt };
}
