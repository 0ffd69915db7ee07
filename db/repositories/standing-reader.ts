import type { Scope, StandingReader } from '#core';
import { read, type Store, sql } from '../store.ts';
import { type NewestRequestRow, toNewestRequest } from './newest-request.ts';
import { toInstantOrNull } from './rows.ts';

interface StandingRow extends NewestRequestRow {
  scopes: Scope[];
  expires_at: string | null;
  revoked_at: string | null;
  in_portfolio: boolean;
}

/** One statement a question, and no memory of earlier ones: a revocation counts from its commit on. */
export function createStandingReader(store: Store): StandingReader {
  return {
    async read({ keyId, companyId }) {
      const [row] = await read(
        store,
        sql<StandingRow>`
          select api_key.scopes, api_key.expires_at, api_key.revoked_at,
            membership.company_id is not null as in_portfolio, newest.*
          from api_key
          left join portfolio_membership as membership
            on membership.investor_id = api_key.investor_id
              and membership.company_id = ${companyId}
          left join lateral (
            select id as request_id, status as request_status,
              approved_scopes as request_scopes, lapses_at as request_lapses_at
            from access_request
            where investor_id = api_key.investor_id and company_id = ${companyId}
            order by created_at desc, id desc
            limit 1
          ) as newest on true
          where api_key.id = ${keyId}`,
      );
      if (row === undefined) return { key: null, inPortfolio: false, newestRequest: null };
      return {
        key: {
          scopes: row.scopes,
          expiresAt: toInstantOrNull(row.expires_at),
          revokedAt: toInstantOrNull(row.revoked_at),
        },
        inPortfolio: row.in_portfolio,
        newestRequest: toNewestRequest(row),
      };
    },
  };
}
