import type { Scope, StandingQuestion, StandingReader, VersionedStanding } from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { sql } from '../store.ts';
import type { Stores } from '../stores.ts';
import { type NewestRequestRow, newestRequest, toNewestRequest } from './newest-request.ts';
import { toInstantOrNull } from './rows.ts';

interface StandingRow extends NewestRequestRow {
  scopes: Scope[] | null;
  expires_at: string | null;
  revoked_at: string | null;
  in_portfolio: boolean;
  data_version: string;
}

/** Exported for the test that looks at its plan. */
export const standings = (questions: readonly StandingQuestion[]) => sql<StandingRow>`
  select api_key.scopes, api_key.expires_at, api_key.revoked_at,
    membership.company_id is not null as in_portfolio,
    coalesce(data.version, 0)::text as data_version, newest.*
  from unnest(
    ${questions.map(({ keyId }) => keyId)}::text[],
    ${questions.map(({ companyId }) => companyId)}::text[]
  ) with ordinality as question (key_id, company_id, position)
  left join api_key on api_key.id = question.key_id
  left join portfolio_membership as membership
    on membership.investor_id = api_key.investor_id
      and membership.company_id = question.company_id
  left join company_data_version as data on data.company_id = membership.company_id
  ${newestRequest(sql`api_key.investor_id`, sql`question.company_id`)}
  order by question.position`;

/** No memory of earlier questions: a revocation counts from its commit on. */
export function createStandingReader(
  { questions }: Pick<Stores, 'questions'>,
  limits: BatchLimits,
): StandingReader {
  return {
    read: batched(async (asked) => (await questions.run(standings(asked))).map(toStanding), limits),
  };
}

function toStanding(row: StandingRow): VersionedStanding {
  const dataVersion = row.data_version;
  if (row.scopes === null) {
    return { key: null, inPortfolio: false, newestRequest: null, dataVersion };
  }
  return {
    key: {
      scopes: row.scopes,
      expiresAt: toInstantOrNull(row.expires_at),
      revokedAt: toInstantOrNull(row.revoked_at),
    },
    inPortfolio: row.in_portfolio,
    newestRequest: toNewestRequest(row),
    dataVersion,
  };
}
