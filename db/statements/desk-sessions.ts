import type {
  CallingSession,
  CompanyRole,
  DeskSessions,
  Environment,
  InvestorRole,
  OwnOrganisation,
  Role,
  Session,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { type Confirmed, confirmsPrimary, runConfirmed } from '../connections/primary.ts';
import { columnsOf, type Row, type Store, type Stores, sql } from '../connections/store.ts';
import { DeskSessionEntity } from '../entities/sign-in.ts';
import { isActiveContact, toArray, toBytes } from './rows.ts';

type Acting = Parameters<DeskSessions['findActing']>[0];
type ActingSession = NonNullable<Awaited<ReturnType<DeskSessions['findActing']>>>;
type Redemption = Parameters<DeskSessions['open']>[0];
type Opening = Parameters<DeskSessions['openForAddress']>[0];

interface CallingRow extends Confirmed, Omit<CallingSession, 'id' | 'chosen'> {
  /** Null if the session doesn't exist. */
  readonly id: string | null;
  readonly contactId: string | null;
  readonly role: Role;
  readonly companyId: string | null;
  readonly investorId: string | null;
  readonly name: string;
  readonly environment: Environment;
}

const columns = columnsOf(DeskSessionEntity, 'desk_session', 'digest');

export const statements = {
  authenticate: (digests: readonly string[]) => sql<CallingRow>`
    select session.id, session.email, session.signed_in_by as "signedInBy",
      session.last_seen_at as "lastSeenAt",
      session.expires_at as "expiresAt", contact.id as "contactId", contact.role,
      contact.company_id as "companyId", contact.investor_id as "investorId",
      coalesce(company.name, investor.name) as name,
      coalesce(company.environment, investor.environment) as environment,
      (select count(*)::int from contact
        where email = session.email and ${isActiveContact}) as "organisationCount",
      ${confirmsPrimary}
    from unnest(${toArray(digests)}::text[]) with ordinality as question (digest, position)
    left join desk_session as session on session.digest = decode(question.digest, 'hex')
    left join contact on contact.id = session.contact_id and ${isActiveContact}
    left join company on company.id = contact.company_id
    left join investor on investor.id = contact.investor_id
    order by question.position`,

  findActing: (acting: readonly Acting[]) => sql<ActingSession & { id: string | null }>`
    select session.id, session.last_seen_at as "lastSeenAt", session.expires_at as "expiresAt"
    from unnest(
      ${toArray(acting.map(({ id }) => id))}::text[],
      ${toArray(acting.map(({ contactId }) => contactId))}::text[]
    ) with ordinality as question (id, contact_id, position)
    left join desk_session as session
      on session.id = question.id and session.contact_id = question.contact_id
        and exists (select from contact
          where contact.id = question.contact_id and ${isActiveContact})
    order by question.position`,
};

/** Never caches, because a sign-out must take effect as soon as it is committed. */
export function createDeskSessions(stores: Stores, limits: BatchLimits): DeskSessions {
  const { requests: store, batches } = stores;
  return {
    open: (redemption) => store.transact((inside) => open(inside, redemption)),

    openForAddress: (opening) => store.transact((inside) => openForAddress(inside, opening)),

    authenticate: batchQuestions(
      async (digests: readonly string[]) =>
        (await runConfirmed(stores, statements.authenticate(digests))).map(toCallingSession),
      limits,
    ),

    findActing: batchQuestions(
      async (acting: readonly Acting[]) =>
        (await batches.run(statements.findActing(acting))).map(({ id, ...session }) =>
          id === null ? null : session,
        ),
      limits,
    ),

    async touch(id, now) {
      await store.update(DeskSessionEntity, { id, lastSeenAt: { $lt: now } }, { lastSeenAt: now });
    },

    async choose(id, organisationId) {
      const chosen = await store.run(sql`
        update desk_session set contact_id = contact.id
        from (
          select contact.id from contact
          join desk_session as session on session.email = contact.email
          where session.id = ${id} and coalesce(contact.company_id, contact.investor_id) = ${organisationId}
            and ${isActiveContact}
          for key share of contact
        ) as contact
        where desk_session.id = ${id} returning desk_session.id`);
      return chosen.length === 1;
    },

    listOrganisations: (email) =>
      store.run(sql<OwnOrganisation>`
        select organisation.id, organisation.name, organisation.kind
        from contact join lateral (
          select id, name, 'company' as kind from company where id = contact.company_id
          union all
          select id, name, 'investor' as kind from investor where id = contact.investor_id
        ) as organisation on true
        where contact.email = ${email} and ${isActiveContact}
        order by organisation.name collate "C", organisation.id`),

    list: (email) =>
      store.run(sql<Session>`
        select ${columns} from desk_session
        where email = ${email} order by created_at desc, id desc`),

    async end(id, by) {
      const isAllowed =
        by === null
          ? sql`true`
          : sql`email = ${by.email} and exists (select from desk_session where id = ${by.id})`;
      const ended = await store.run(sql`
        delete from desk_session where id = ${id} and ${isAllowed} returning id`);
      return ended.length === 1;
    },

    async claimForm(sessionId, formId) {
      const claimed = await store.run(sql`
        insert into desk_form (session_id, id)
        select session.id, ${formId} from desk_session as session
        where session.id = ${sessionId} for key share
        on conflict do nothing returning id`);
      return claimed.length === 1;
    },

    async deleteExpired(now) {
      await store.remove(DeskSessionEntity, { expiresAt: { $lte: now } });
    },
  };
}

async function open(
  store: Store,
  { digest, now, newSession, previousDigest }: Redemption,
): Promise<Session | null> {
  const link = await store.first(sql<
    Pick<Row<'sign_in_link'>, 'id' | 'email' | 'companyId' | 'investorId'>
  >`
    select id, email, company_id as "companyId", investor_id as "investorId" from sign_in_link
    where digest = ${toBytes(digest)} and expires_at > ${now}`);
  if (link === null) return null;
  const { email, companyId, investorId } = link;
  const contacts = await lockContacts(store, email, companyId ?? investorId);
  if (contacts.length === 0) return null;
  // If the link is used twice, the second statement waits here until the first has cleared the link's token.
  const used = await store.first(sql`
    update sign_in_link set digest = null, next_attempt_at = null,
      state = case state when 'waiting' then 'sent' else state end
    where id = ${link.id} and digest = ${toBytes(digest)} returning id`);
  if (used === null) return null;
  return insertSession(store, { email, newSession, previousDigest }, contacts);
}

async function openForAddress(store: Store, opening: Opening): Promise<Session | null> {
  const contacts = await lockContacts(store, opening.email, null);
  return contacts.length === 0 ? null : insertSession(store, opening, contacts);
}

/** Locks the contacts first, like the removal of a contact does, to prevent deadlocks. */
function lockContacts(
  store: Store,
  email: string,
  ownerId: string | null,
): Promise<{ id: string }[]> {
  return store.run(sql<{ id: string }>`
    select id from contact
    where email = ${email} and ${isActiveContact}
      and (${ownerId}::text is null or coalesce(company_id, investor_id) = ${ownerId})
    order by id for key share`);
}

async function insertSession(
  store: Store,
  { email, newSession, previousDigest }: Opening,
  contacts: readonly { id: string }[],
): Promise<Session> {
  if (previousDigest !== null) {
    await store.remove(DeskSessionEntity, { digest: toBytes(previousDigest) });
  }
  const [contact, ...others] = contacts;
  const contactId = others.length === 0 ? (contact?.id ?? null) : null;
  const session: Session = { ...newSession.session, email, contactId };
  await store.insert(DeskSessionEntity, { ...session, digest: toBytes(newSession.digest) });
  return session;
}

function toCallingSession(row: CallingRow): CallingSession | null {
  const { id, email, signedInBy, lastSeenAt, expiresAt, organisationCount } = row;
  if (id === null) return null;
  const session = { id, email, signedInBy, lastSeenAt, expiresAt };
  return { ...session, organisationCount, chosen: toChosen(row) };
}

function toChosen(row: CallingRow): CallingSession['chosen'] {
  const { contactId, companyId, investorId, name, environment } = row;
  if (contactId === null) return null;
  const contact = { contactId, environment };
  return companyId === null
    ? {
        ...contact,
        investorId: investorId ?? '',
        investorName: name,
        role: row.role as InvestorRole,
      }
    : { ...contact, companyId, companyName: name, role: row.role as CompanyRole };
}
