import type { UpstreamSigners } from '#core';
import { rowScopeOf } from '../../connections/row-scope.ts';
import { columnsOf, type Row, type Stores, sql } from '../../connections/store.ts';
import { UpstreamSignerEntity } from '../../entities/proof.ts';

export function createUpstreamSigners({ requests: store, scopes }: Stores): UpstreamSigners {
  const columns = columnsOf(UpstreamSignerEntity, 'upstream_signer');
  return {
    async add({ companyId, kid, jwk, addedAt }) {
      const key = JSON.stringify(jwk);
      await store.run(sql`
        insert into upstream_signer (company_id, kid, jwk, added_at)
        values (${companyId}, ${kid}, ${key}::jsonb, ${addedAt})
        on conflict do nothing`);
      const same = await store.run(sql`
        select 1 from upstream_signer
        where company_id = ${companyId} and kid = ${kid} and jwk = ${key}::jsonb`);
      return same.length === 1;
    },

    list: (companyId) =>
      scopes.requests.scoped(rowScopeOf({ companyId })).run(sql<Row<'upstream_signer'>>`
        select ${columns} from upstream_signer where company_id = ${companyId}
        order by added_at, kid collate "C"`),

    async remove(companyId, kid) {
      const removed = await store.run(sql`
        delete from upstream_signer where company_id = ${companyId} and kid = ${kid} returning 1`);
      return removed.length === 1;
    },
  };
}
