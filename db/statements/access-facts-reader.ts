import type { RawBuilder } from 'kysely';
import type {
  AccessFactsReader,
  AccessQuestion,
  AuthenticatedKey,
  AuthenticationQuestion,
  ContactAccessFacts,
  ContactAccessQuestion,
  Scope,
  VersionedAccessFacts,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { compiledOnce } from '../connections/compiled-once.ts';
import { type Confirmed, confirmsPrimary, runConfirmed } from '../connections/primary.ts';
import { type Row, type Stores, sql } from '../connections/store.ts';
import { membershipOf } from './memberships.ts';
import {
  type NewestRequestRow,
  newestColumns,
  newestOfMembership,
  toNewestRequest,
} from './newest-request.ts';
import {
  effectiveRevokedAt,
  isActiveAt,
  isActiveContact,
  suspendedIds,
  timeOfBatch,
  toArray,
  toScopes,
} from './rows.ts';

interface KeyState extends Pick<Row<'api_key'>, 'expiresAt' | 'revokedAt'> {
  /** The scopes of the API key as text. Null if the key doesn't exist. */
  readonly scopes: string | null;
}

interface FactsRow extends KeyState, NewestRequestRow {
  readonly isInPortfolio: boolean;
  readonly dataVersion: string;
}

interface ContactFactsRow extends Omit<FactsRow, keyof KeyState> {
  /** Null if the session doesn't exist or isn't signed in as this contact. */
  readonly lastSeenAt: Date | null;
  readonly expiresAt: Date | null;
}

interface KeyRow
  extends KeyState,
    Pick<Row<'api_key'>, 'investorId' | 'environment' | 'rateLimit'> {
  readonly keyId: string | null;
}

const keyState = (revokedAt: RawBuilder<unknown>) =>
  sql`api_key.scopes::text, api_key.expires_at as "expiresAt", ${revokedAt} as "revokedAt"`;

const keyColumns = sql`api_key.id as "keyId", api_key.investor_id as "investorId",
  api_key.environment, api_key.rate_limit as "rateLimit",
  ${keyState(sql`api_key.revoked_at`)}`;

const factsColumns = sql`membership.company_id is not null as "isInPortfolio",
  coalesce(data.version, 0)::text as "dataVersion", ${newestColumns}`;

const factsJoins = (investorId: RawBuilder<unknown>) => sql`
    left join ${membershipOf(investorId, sql`question.company_id`)}
      on membership.removed_at is null and membership.company_id <> all(${suspendedIds.company})
    left join company_data_version as data on data.company_id = membership.company_id
    ${newestOfMembership}`;

const factsOfKey = factsJoins(sql`api_key.investor_id`);

export const statements = {
  accessFacts: compiledOnce<readonly AccessQuestion[], FactsRow & Confirmed>(
    (parameter) => sql`
    select ${keyState(effectiveRevokedAt('api_key'))}, ${factsColumns}, ${confirmsPrimary}
    from unnest(
      ${parameter((questions) => toArray(questions.map(({ keyId }) => keyId)))}::text[],
      ${parameter((questions) => toArray(questions.map(({ companyId }) => companyId)))}::text[]
    ) with ordinality as question (key_id, company_id, position)
    left join api_key on api_key.id = question.key_id
    ${factsOfKey}
    order by question.position`,
  ),

  /** A separate statement for contacts. HTTP requests with an API key never wait for this statement. */
  contactAccessFacts: compiledOnce<readonly ContactAccessQuestion[], ContactFactsRow & Confirmed>(
    (parameter) => sql`
    select session.last_seen_at as "lastSeenAt", session.expires_at as "expiresAt", ${factsColumns},
      ${confirmsPrimary}
    from unnest(
      ${parameter((questions) => toArray(questions.map(({ sessionId }) => sessionId)))}::text[],
      ${parameter((questions) => toArray(questions.map(({ contactId }) => contactId)))}::text[],
      ${parameter((questions) => toArray(questions.map(({ companyId }) => companyId)))}::text[]
    ) with ordinality as question (session_id, contact_id, company_id, position)
    left join (
      desk_session as session
      join contact on contact.id = session.contact_id and contact.investor_id is not null
        and ${isActiveContact}
    ) on session.id = question.session_id and session.contact_id = question.contact_id
    ${factsJoins(sql`contact.investor_id`)}
    order by question.position`,
  ),

  keysAndAccessFacts: compiledOnce<
    readonly AuthenticationQuestion[],
    KeyRow & FactsRow & Confirmed
  >(
    (parameter) => sql`
    select ${keyColumns}, ${factsColumns}, ${confirmsPrimary}
    from unnest(
      ${parameter((questions) => toArray(questions.map(({ digest }) => digest)))}::text[],
      ${parameter((questions) => toArray(questions.map(({ companyId }) => companyId)))}::text[]
    ) with ordinality as question (digest, company_id, position)
    left join api_key on api_key.digest = decode(question.digest, 'hex') and ${isActiveAt(parameter(timeOfBatch), 'api_key')}
    ${factsOfKey}
    order by question.position`,
  ),

  /** The statement for HTTP requests that name no company. Such requests need no consent. */
  keys: compiledOnce<readonly AuthenticationQuestion[], KeyRow & Confirmed>(
    (parameter) => sql`
    select ${keyColumns}, ${confirmsPrimary}
    from unnest(${parameter((questions) => toArray(questions.map(({ digest }) => digest)))}::text[])
      with ordinality as question (digest, position)
    left join api_key on api_key.digest = decode(question.digest, 'hex') and ${isActiveAt(parameter(timeOfBatch), 'api_key')}
    order by question.position`,
  ),
};

/** Never caches, because a revocation must take effect as soon as it is committed. */
export function createAccessFactsReader(
  stores: Pick<Stores, 'batches' | 'clock'>,
  limits: BatchLimits,
): AccessFactsReader {
  return {
    authenticate: batchQuestions(
      async (questions: readonly AuthenticationQuestion[]) => {
        if (questions.every(({ companyId }) => companyId === null)) {
          const rows = await runConfirmed(stores, statements.keys(questions));
          return rows.map((row) => toAuthenticatedKey(row, null));
        }
        const rows = await runConfirmed(stores, statements.keysAndAccessFacts(questions));
        return rows.map((row, index) =>
          toAuthenticatedKey(row, questions[index]?.companyId === null ? null : toAccessFacts(row)),
        );
      },
      limits,
      'keys',
    ),

    read: batchQuestions(
      async (questions) =>
        (await runConfirmed(stores, statements.accessFacts(questions))).map(toAccessFacts),
      limits,
      'access_facts',
    ),

    readOfContact: batchQuestions(
      async (questions) =>
        (await runConfirmed(stores, statements.contactAccessFacts(questions))).map(toContactFacts),
      limits,
      'access_facts',
    ),
  };
}

function toAuthenticatedKey(
  row: KeyRow,
  facts: VersionedAccessFacts | null,
): AuthenticatedKey | null {
  if (row.keyId === null) return null;
  const { keyId: id, investorId, environment, rateLimit } = row;
  return { key: { id, investorId, environment, rateLimit, ...toKeyState(row) }, facts };
}

function toAccessFacts(row: FactsRow): VersionedAccessFacts {
  const { dataVersion } = row;
  if (row.scopes === null) {
    return { key: null, isInPortfolio: false, newestRequest: null, dataVersion };
  }
  return {
    key: toKeyState(row),
    isInPortfolio: row.isInPortfolio,
    newestRequest: toNewestRequest(row),
    dataVersion,
  };
}

function toContactFacts(row: ContactFactsRow): ContactAccessFacts {
  const { lastSeenAt, expiresAt, isInPortfolio, dataVersion } = row;
  const session = lastSeenAt === null || expiresAt === null ? null : { lastSeenAt, expiresAt };
  return { session, isInPortfolio, dataVersion, newestRequest: toNewestRequest(row) };
}

const toKeyState = ({ scopes, expiresAt, revokedAt }: KeyState) => ({
  scopes: toScopes<Scope>(scopes ?? '{}'),
  expiresAt,
  revokedAt,
});
