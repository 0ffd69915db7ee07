import { isDeepStrictEqual } from 'node:util';
import type { UpstreamSigners } from '#core';
import { compare, type Store } from './store.ts';

export function createMemoryUpstreamSigners({ upstreamSigners }: Store): UpstreamSigners {
  const nameOf = (companyId: string, kid: string) => JSON.stringify([companyId, kid]);
  return {
    async add(signer) {
      const known = upstreamSigners.getOrInsert(nameOf(signer.companyId, signer.kid), signer);
      return isDeepStrictEqual(known.jwk, signer.jwk);
    },
    async list(companyId) {
      const own = [...upstreamSigners.values()].filter((signer) => signer.companyId === companyId);
      return structuredClone(
        own.toSorted((a, b) => a.addedAt.getTime() - b.addedAt.getTime() || compare(a.kid, b.kid)),
      );
    },
    async remove(companyId, kid) {
      return upstreamSigners.delete(nameOf(companyId, kid));
    },
  };
}
