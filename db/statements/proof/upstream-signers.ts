import type { UpstreamSigners } from '#core';
import { type Stores, sql } from '../../connections/store.ts';
import { UpstreamSignerEntity } from '../../entities/proof.ts';

export function createUpstreamSigners({ requests: store, scopes }: Stores): UpstreamSigners {
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
      scopes.requests
        .scoped({ companies: [companyId] })
        .run(
          store.build
            .selectFrom('upstream_signer')
            .selectAll()
            .where('companyId', '=', companyId)
            .orderBy('addedAt')
            .orderBy(sql`kid collate "C"`),
        ),

    remove: async (companyId, kid) =>
      (await store.remove(UpstreamSignerEntity, { companyId, kid })) === 1,
  };
}
