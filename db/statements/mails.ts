import {
  type Company,
  canDecide,
  companyOf,
  type FeedEvent,
  isRequestEvent,
  type Mail,
  type MailReader,
  type MailSettings,
  type Mails,
  type NewsKind,
  type NewsPlan,
  type NoticeKind,
  noticesForDeciders,
} from '#core';
import { columnsOf, type Row, type Store, type Stores, sql } from '../connections/store.ts';
import { MailEntity } from '../entities/mail.ts';
import { findFeedEvents, findGranted } from './access-events.ts';
import { readerColumns } from './contacts.ts';
import { consumeEvents, createMailQueue, readBacklogOf, removeUpTo } from './queue.ts';
import { toArray, toOwner } from './rows.ts';
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

    queue: (plan) =>
      consumeEvents(store, 'mail', plan.limit, async (inside, events) => {
        await queueNotices(inside, events, plan);
        await queueNews(inside, events, plan);
      }),

    readBacklog: (now) =>
      readBacklogOf(
        store,
        'mail',
        sql`mail where state = 'waiting' and created_at <= ${now}::timestamptz`,
        sql`min(next_attempt_at) filter (where next_attempt_at <= ${now})`,
      ),

    deleteOld: (before, limit) =>
      removeUpTo(
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

type MailPlan = Parameters<Mails['queue']>[0];

async function queueNotices(
  inside: Store,
  events: readonly FeedEvent[],
  { kindOf, nextId, now }: MailPlan,
): Promise<void> {
  const notices = events.flatMap((event) => {
    const kind = kindOf(event);
    return kind === null ? [] : [{ event, companyId: companyOf(event), kind }];
  });
  if (notices.length === 0) return;
  const companyIds = new Set(notices.map(({ companyId }) => companyId));
  const contacts = await lockContacts(inside, 'company_id', [...companyIds]);
  const rows = notices.flatMap(({ event, companyId, kind }) =>
    (contacts.get(companyId) ?? []).filter(isReaderOf(kind)).map((contact) => ({
      id: nextId(),
      eventId: event.id,
      companyId,
      contactId: contact.id,
      email: contact.email,
      kind,
      state: 'waiting' as const,
      attempts: 0,
      nextAttemptAt: now,
      createdAt: now,
    })),
  );
  if (rows.length === 0) return;
  await inside.run(
    inside.build
      .insertInto('mail')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['eventId', 'contactId']).doNothing()),
  );
}

const isReaderOf =
  (kind: NoticeKind) =>
  ({ role }: MailReader): boolean =>
    !noticesForDeciders.includes(kind) || canDecide(role);

async function queueNews(
  inside: Store,
  events: readonly FeedEvent[],
  { newsKindOf, planNews, nextId, now }: MailPlan,
): Promise<void> {
  const news = events.flatMap((event) => {
    const kind = newsKindOf(event);
    return kind === null ? [] : [{ event, kind, companyId: companyOf(event) }];
  });
  if (news.length === 0) return;
  const ofData = news.filter(({ event }) => !isRequestEvent(event));
  const granted = await findGranted(
    inside,
    ofData.map(({ companyId }) => companyId),
  );
  const investorsOf = (event: FeedEvent) =>
    isRequestEvent(event)
      ? [event.accessRequest.investorId]
      : (granted.get(event.companyId) ?? []).map(({ investorId }) => investorId);
  const investorIds = news.flatMap(({ event }) => investorsOf(event));
  const people = await lockContacts(inside, 'investor_id', investorIds);
  const lastNews = await findLastNews(inside, [...people.values()].flat(), now);
  const windows = new Map<string, Map<string, NewsWindow>>();
  for (const { event, kind, companyId } of news) {
    const last = BigInt(event.position);
    for (const investorId of investorsOf(event)) {
      const ofInvestor = windows.getOrInsertComputed(investorId, () => new Map());
      const { first = last } = ofInvestor.get(`${kind} ${companyId}`) ?? {};
      ofInvestor.set(`${kind} ${companyId}`, { kind, companyId, first, last });
    }
  }
  const mails = [...windows].flatMap(([investorId, ofInvestor]) =>
    (people.get(investorId) ?? []).flatMap((person) =>
      planMails(person, [...ofInvestor.values()], lastNews, planNews).map((mail) => ({
        ...{ id: nextId(), contact_id: person.id, investor_id: investorId, email: person.email },
        ...{ kind: mail.kind, about_company_id: mail.aboutCompanyId, due_at: mail.dueAt },
        ...{ after_position: `${mail.first - 1n}`, until_position: `${mail.last}` },
      })),
    ),
  );
  if (mails.length === 0) return;
  // Extends the person's waiting mail, or inserts a new mail. If a process is claiming the waiting mail, this statement
  // waits. A claimed mail has `attempts` 1 and no longer conflicts, so a new mail is inserted. A mail's creation time
  // is the time when it is due.
  await inside.run(sql`
    insert into mail (id, contact_id, investor_id, email, kind, about_company_id, after_position,
      until_position, state, attempts, next_attempt_at, created_at)
    select id, contact_id, investor_id, email, kind, about_company_id, after_position,
      until_position, 'waiting', 0, due_at, due_at
    from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as news (id text,
      contact_id text, investor_id text, email text, kind text, about_company_id text,
      after_position bigint, until_position bigint, due_at timestamptz)
    order by contact_id, kind, about_company_id
    on conflict (contact_id, kind, coalesce(about_company_id, ''))
      where kind in ('news', 'digest') and state = 'waiting' and attempts = 0
    do update set until_position = excluded.until_position,
      next_attempt_at = least(mail.next_attempt_at, excluded.next_attempt_at),
      created_at = least(mail.created_at, excluded.created_at)`);
}

/** The first and the last event of one kind about one company. */
interface NewsWindow {
  readonly kind: NewsKind;
  readonly companyId: string;
  readonly first: bigint;
  readonly last: bigint;
}

interface PlannedNews extends Pick<NewsPlan, 'kind'>, Pick<NewsWindow, 'first'> {
  readonly aboutCompanyId: string | null;
  last: bigint;
  dueAt: Date;
}

/**
 * Plans at most one digest, and at most one mail of the kind `news` per company.
 *
 * @param windows sorted by their first events
 */
function planMails(
  person: MailReader,
  windows: readonly NewsWindow[],
  lastNews: ReadonlyMap<string, Date>,
  planNews: MailPlan['planNews'],
): PlannedNews[] {
  const mails = new Map<string | null, PlannedNews>();
  for (const { kind, companyId, first, last } of windows) {
    const plan = planNews(kind, person, lastNews.get(`${person.id} ${companyId}`) ?? null);
    if (plan === null) continue;
    const aboutCompanyId = plan.kind === 'news' ? companyId : null;
    const begin = () => ({ ...plan, aboutCompanyId, first, last });
    const mail = mails.getOrInsertComputed(aboutCompanyId, begin);
    if (last > mail.last) mail.last = last;
    if (plan.dueAt < mail.dueAt) mail.dueAt = plan.dueAt;
  }
  return [...mails.values()];
}

/** Locks the contacts, so that they can't be removed while mails to them are queued. */
async function lockContacts(
  store: Store,
  owner: 'company_id' | 'investor_id',
  ids: readonly string[],
): Promise<Map<string, MailReader[]>> {
  if (ids.length === 0) return new Map();
  const contacts = await store.run(sql<MailReader & { ownerId: string }>`
    select ${readerColumns}, ${sql.ref(owner)} as "ownerId" from contact
    where ${sql.ref(owner)} = any(${toArray([...new Set(ids)])}::text[])
    order by created_at, id for key share`);
  return Map.groupBy(contacts, ({ ownerId }) => ownerId);
}

/** Returns the time of the last mail of the kind `news`, for each person and company. */
async function findLastNews(
  store: Store,
  people: readonly MailReader[],
  now: Date,
): Promise<Map<string, Date>> {
  const ids = people
    .filter(({ choices }) => Object.values(choices).includes('at_once'))
    .map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await store.run(sql<{ name: string; lastAt: Date }>`
    select contact_id || ' ' || about_company_id as name,
      max(coalesce(sent_at, ${now}::timestamptz)) as "lastAt"
    from mail
    where contact_id = any(${toArray(ids)}::text[]) and kind = 'news'
      and (state = 'sent' or (state = 'waiting' and attempts > 0))
      and created_at > ${now}::timestamptz - interval '1 day'
    group by contact_id, about_company_id`);
  return new Map(rows.map(({ name, lastAt }) => [name, lastAt]));
}

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
  const locales = await findLocales(
    reader,
    rows.map(({ email }) => email),
  );
  return rows.map(
    ({ eventId, settingsChangeId, email, companyId, investorId, kind, contactId, ...found }) => {
      const { afterPosition, untilPosition, aboutCompanyId, ...row } = found;
      const id = idOf({ companyId, investorId });
      const owner = toOwner({ companyId, investorId });
      const toOwners = { event: null, owner, name: names.get(id) ?? id };
      const locale = locales.get(`${id} ${email}`) ?? { language: null, timeZone: null };
      const mail = { ...row, ...locale, to: email, contactId: contactId ?? '' };
      if (kind === 'news' || kind === 'digest') {
        const positions = { afterPosition: `${afterPosition}`, untilPosition: `${untilPosition}` };
        return { ...mail, kind, ...toOwners, ...positions, aboutCompanyId };
      }
      if (kind === 'settings_changed' || kind === 'contact_invited') {
        const change = changes.get(settingsChangeId ?? '');
        if (change === undefined)
          throw new Error(`the settings change ${settingsChangeId} of a mail doesn't exist`);
        return kind === 'settings_changed'
          ? { ...mail, contactId: null, kind, ...toOwners, change }
          : { ...mail, kind, ...toOwners, change };
      }
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

/** Returns the languages and time zones of contacts, by owner and email address. */
async function findLocales(reader: Store, emails: readonly string[]) {
  if (emails.length === 0) return new Map<string, Pick<MailSettings, 'language' | 'timeZone'>>();
  const found = await reader.run(sql<
    Pick<MailSettings, 'language' | 'timeZone'> & { owner: string; email: string }
  >`
    select coalesce(company_id, investor_id) as owner, email, language, time_zone as "timeZone"
    from contact where email = any(${[...new Set(emails)]}::text[])`);
  return new Map(
    found.map(({ owner, email, ...locale }) => [`${owner} ${email}`, locale] as const),
  );
}

async function findNames(reader: Store, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const isOneOf = sql`any(${[...new Set(ids)]}::text[])`;
  const found = await reader.run(sql<Pick<Company, 'id' | 'name'>>`
    select id, name from company where id = ${isOneOf}
    union all select id, name from investor where id = ${isOneOf}`);
  return new Map(found.map(({ id, name }) => [id, name]));
}
