import { ensure, type SigningKeys } from '#core';
import type { Store } from './store.ts';

export function createMemorySigningKeys(store: Store): SigningKeys {
  const { signingKeys, points, revisions } = store;
  const isUsed = (keyNumber: number) =>
    [...points.values(), ...revisions].some(({ signed }) => signed?.keyNumber === keyNumber) ||
    store.consents.receipts.values().some(({ signature }) => signature?.keyNumber === keyNumber);

  const registered: Pick<SigningKeys, 'register' | 'registerFirst'> = {
    async register({ kid, x }, now, signsAt = now) {
      const key = signingKeys.getOrInsertComputed(kid, () => ({
        number: signingKeys.size + 1,
        kid,
        x,
        createdAt: now,
        signsAt,
        retiredAt: null,
        isImported: false,
      }));
      ensure(key.retiredAt === null, 'signing_key_conflict', `the signing key ${kid} is retired`);
      const isKept = !key.isImported && key.signsAt <= signsAt;
      const own = isKept ? key : { ...key, isImported: false, signsAt };
      signingKeys.set(kid, own);
      return structuredClone(own);
    },
    async registerFirst(key, now) {
      const own = signingKeys.values().some(({ isImported }) => !isImported);
      const present = signingKeys.get(key.kid);
      if (own && present?.isImported !== false) return null;
      return registered.register(key, now, present?.signsAt);
    },
  };

  return {
    ...registered,
    async list() {
      return structuredClone([...signingKeys.values()]);
    },
    async retire(kid, now) {
      const key = signingKeys.get(kid);
      if (key === undefined) return 'unknown';
      if (isUsed(key.number)) return 'in_use';
      signingKeys.set(kid, { ...key, retiredAt: key.retiredAt ?? now });
      return 'retired';
    },
  };
}
