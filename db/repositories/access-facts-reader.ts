import type {
  AccessFactsReader,
  AccessQuestion,
  AuthenticatedKey,
  AuthenticationQuestion,
  Environment,
  VersionedAccessFacts,
} from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { sql } from '../store.ts';
import type { Stores } from '../stores.ts';
import { textList } from '../text-list.ts';
import { type NewestRequestRow, newestRequest, toNewestRequest } from './newest-request.ts';
import { toInstantOrNull, toScopes } from './rows.ts';

interface KeyState {
  /** As text. */
  scopes: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

interface AccessFactsRow extends KeyState, NewestRequestRow {
  in_portfolio: boolean;
  data_version: string;
}

const keyState = sql`api_key.scopes::text, api_key.expires_at, api_key.revoked_at`;

/**
 * How the key stands with the company that the same question names. Without the offset the planner may read the whole
 * portfolio to find one company in it.
 */
const pair = {
  columns: sql`${keyState},
    membership.company_id is not null as in_portfolio,
    coalesce(data.version, 0)::text as data_version, newest.*`,
  joins: sql`
    left join lateral (
      select company_id from portfolio_membership
      where investor_id = api_key.investor_id and company_id = question.company_id
      offset 0
    ) as membership on true
    left join company_data_version as data on data.company_id = membership.company_id
    ${newestRequest(sql`api_key.investor_id`, sql`question.company_id`)}`,
};

interface KeyRow extends KeyState {
  key_id: string | null;
  investor_id: string;
  environment: Environment;
  rate_limit: number | null;
}

const keyColumns = sql`api_key.id as key_id, api_key.investor_id, api_key.environment,
  api_key.rate_limit`;

/** Exported for the test that looks at their plans. */
export const statements = {
  accessFacts: (questions: readonly AccessQuestion[]) => sql<AccessFactsRow>`
    select ${pair.columns}
    from unnest(
      ${textList(questions.map(({ keyId }) => keyId))},
      ${textList(questions.map(({ companyId }) => companyId))}
    ) with ordinality as question (key_id, company_id, position)
    left join api_key on api_key.id = question.key_id
    ${pair.joins}
    order by question.position`,

  acquaintances: (introductions: readonly AuthenticationQuestion[]) => sql<KeyRow & AccessFactsRow>`
    select ${keyColumns}, ${pair.columns}
    from unnest(
      ${textList(introductions.map(({ digest }) => digest))},
      ${textList(introductions.map(({ companyId }) => companyId))}
    ) with ordinality as question (digest, company_id, position)
    left join api_key on api_key.digest = decode(question.digest, 'hex')
    ${pair.joins}
    order by question.position`,

  /** For introductions that name no company: consent and data have nothing to do with them. */
  keys: (introductions: readonly AuthenticationQuestion[]) => sql<KeyRow>`
    select ${keyColumns}, ${keyState}
    from unnest(${textList(introductions.map(({ digest }) => digest))})
      with ordinality as question (digest, position)
    left join api_key on api_key.digest = decode(question.digest, 'hex')
    order by question.position`,
};

/** No memory of earlier questions: a revocation counts from its commit on. */
export function createAccessFactsReader(
  { questions }: Pick<Stores, 'questions'>,
  limits: BatchLimits,
): AccessFactsReader {
  return {
    authenticate: batched(async (asked: readonly AuthenticationQuestion[]) => {
      if (asked.every(({ companyId }) => companyId === null)) {
        return (await questions.run(statements.keys(asked))).map((row) =>
          toAuthenticatedKey(row, null),
        );
      }
      const rows = await questions.run(statements.acquaintances(asked));
      return rows.map((row, index) =>
        toAuthenticatedKey(row, asked[index]?.companyId === null ? null : toAccessFacts(row)),
      );
    }, limits),

    read: batched(
      async (asked) => (await questions.run(statements.accessFacts(asked))).map(toAccessFacts),
      limits,
    ),
  };
}

function toAuthenticatedKey(
  row: KeyRow,
  facts: VersionedAccessFacts | null,
): AuthenticatedKey | null {
  if (row.key_id === null) return null;
  return {
    key: {
      id: row.key_id,
      investorId: row.investor_id,
      environment: row.environment,
      rateLimit: row.rate_limit,
      ...toKey(row),
    },
    facts,
  };
}

function toAccessFacts(row: AccessFactsRow): VersionedAccessFacts {
  const dataVersion = row.data_version;
  if (row.scopes === null) {
    return { key: null, inPortfolio: false, newestRequest: null, dataVersion };
  }
  return {
    key: toKey(row),
    inPortfolio: row.in_portfolio,
    newestRequest: toNewestRequest(row),
    dataVersion,
  };
}

const toKey = (row: KeyState) => ({
  scopes: toScopes(row.scopes ?? '{}'),
  expiresAt: toInstantOrNull(row.expires_at),
  revokedAt: toInstantOrNull(row.revoked_at),
});
