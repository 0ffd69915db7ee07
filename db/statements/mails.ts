import {
  type Company,
  type Contact,
  companyOf,
  isRequestEvent,
  type Mail,
  type Mails,
} from '#core';
import { columnsOf, type Row, type Store, type Stores, sql } from '../connections/store.ts';
import { MailEntity } from '../entities/mail.ts';
import { findFeedEvents } from './access-events.ts';
import { consumeEvents, createMailQueue, readBacklogOf, removeSome } from './queue.ts';
import { toOwner } from './rows.ts';
import { findChanges } from './settings-changes.ts';

const table = sql.table('mail');

const investorOf = (mail: 'item' | 'earlier') =>
  sql`(select investor_id from access_event where id = ${sql.ref(`${mail}.event_id`)})`;

export function createMails({ requests: store, longWork }: Stores): Mails {
  return {
    ...createMailQueue(store, {
      table,
      columns: columnsOf(MailEntity, 'item'),
      isSimilar: sql`earlier.contact_id = item.contact_id and earlier.state <> 'failed'
        and earlier.kind = item.kind and ${investorOf('earlier')} = ${investorOf('item')}`,
      read: (rows: Row<'mail'>[]) => withSubjects(store, rows),
      settle: (claimed, { state, nextAttemptAt, lastFailure, sentAt }) =>
        store.update(MailEntity, claimed, { state, nextAttemptAt, lastFailure, sentAt }),
    }),

    queue: ({ kindOf, nextId, now, limit }) =>
      consumeEvents(store, 'mail', limit, async (inside, events) => {
        const notices = events.flatMap((event) => {
          const kind = kindOf(event);
          return kind === null ? [] : [{ event, companyId: companyOf(event), kind }];
        });
        if (notices.length === 0) return;
        const companyIds = new Set(notices.map(({ companyId }) => companyId));
        const contacts = await lockContacts(inside, [...companyIds]);
        const rows = notices.flatMap(({ event, companyId, kind }) =>
          (contacts.get(companyId) ?? []).map((contact) => ({
            id: nextId(),
            eventId: event.id,
            settingsChangeId: null,
            companyId,
            investorId: null,
            contactId: contact.id,
            email: contact.email,
            kind,
            state: 'waiting' as const,
            attempts: 0,
            nextAttemptAt: now,
            lastFailure: null,
            createdAt: now,
            sentAt: null,
          })),
        );
        if (rows.length === 0) return;
        await inside.run(
          inside.build
            .insertInto('mail')
            .values(rows)
            .onConflict((conflict) => conflict.columns(['eventId', 'contactId']).doNothing()),
        );
      }),

    readBacklog: (now) =>
      readBacklogOf(
        store,
        'mail',
        sql`mail where state = 'waiting'`,
        sql`min(next_attempt_at) filter (where next_attempt_at <= ${now})`,
      ),

    forget: (before, limit) =>
      removeSome(
        store,
        table,
        sql`id`,
        sql`from mail where created_at < ${before} order by created_at, id`,
        limit,
      ),

    async list(state, limit) {
      const newest = longWork.build
        .selectFrom('mail')
        .selectAll()
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      return withSubjects(
        longWork,
        await longWork.run(state === null ? newest : newest.where('state', '=', state)),
      );
    },
  };
}

/** The lock keeps contacts from being removed while mails to them are queued. */
async function lockContacts(
  store: Store,
  companyIds: readonly string[],
): Promise<Map<string, Pick<Contact, 'id' | 'email'>[]>> {
  const contacts = await store.run(sql<Pick<Contact, 'id' | 'email'> & { companyId: string }>`
    select id, company_id as "companyId", email from contact
    where company_id = any(${companyIds}::text[]) order by created_at, id for key share`);
  return Map.groupBy(contacts, ({ companyId }) => companyId);
}

/** Adds to the mails their events, settings changes and names. */
async function withSubjects(reader: Store, rows: readonly Row<'mail'>[]): Promise<Mail[]> {
  const events = await findFeedEvents(
    reader,
    rows.flatMap(({ eventId }) => eventId ?? []),
  );
  const names = await findNames(
    reader,
    rows.flatMap((row) => (row.eventId === null ? idOf(row) : [])),
  );
  const changes = await findChanges(
    reader,
    rows.flatMap(({ settingsChangeId }) => settingsChangeId ?? []),
  );
  return rows.map(
    ({ eventId, settingsChangeId, email, companyId, investorId, kind, contactId, ...row }) => {
      const id = idOf({ companyId, investorId });
      const owner = toOwner({ companyId, investorId });
      const toOwners = { event: null, owner, name: names.get(id) ?? id };
      if (kind === 'settings_changed') {
        const change = changes.get(settingsChangeId ?? '');
        if (change === undefined)
          throw new Error(`there is no change ${settingsChangeId} of a mail`);
        return { ...row, to: email, contactId: null, kind, ...toOwners, change };
      }
      const mail = { ...row, to: email, contactId: contactId ?? '' };
      if (kind === 'contact_invited') return { ...mail, kind, ...toOwners };
      const event = events.get(eventId ?? '');
      if (event === undefined || !isRequestEvent(event)) {
        throw new Error(`the event ${eventId} of a mail is not in the feed`);
      }
      return { ...mail, kind, event };
    },
  );
}

const idOf = ({ companyId, investorId }: Pick<Row<'mail'>, 'companyId' | 'investorId'>) =>
  companyId ?? investorId ?? '';

/** The names of companies and investors. */
async function findNames(reader: Store, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const asked = sql`any(${[...new Set(ids)]}::text[])`;
  const found = await reader.run(sql<Pick<Company, 'id' | 'name'>>`
    select id, name from company where id = ${asked}
    union all select id, name from investor where id = ${asked}`);
  return new Map(found.map(({ id, name }) => [id, name]));
}
