import { ensure, type SigningKeys } from '#core';
import type { Store, StoredPoint } from './store.ts';

export function createMemorySigningKeys({ signingKeys, points, revisions }: Store): SigningKeys {
  return {
    async register({ kid, x }, now) {
      const key = signingKeys.getOrInsertComputed(kid, () => ({
        number: signingKeys.size + 1,
        kid,
        x,
        createdAt: now,
        retiredAt: null,
      }));
      ensure(key.retiredAt === null, 'conflict', `the signing key ${kid} is retired`);
      return structuredClone(key);
    },
    async list() {
      return structuredClone([...signingKeys.values()]);
    },
    async retire(kid, now) {
      const key = signingKeys.get(kid);
      if (key === undefined) return 'unknown';
      const isOfKey = ({ signed }: StoredPoint) => signed?.keyNumber === key.number;
      if ([...points.values(), ...revisions].some(isOfKey)) return 'in_use';
      signingKeys.set(kid, { ...key, retiredAt: key.retiredAt ?? now });
      return 'retired';
    },
  };
}
