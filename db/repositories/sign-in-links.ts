import type { SignInLinks } from '#core';
import { SignInLinkEntity } from '../entities/sign-in.ts';
import type { Store } from '../store.ts';
import { toBytes } from './rows.ts';

export function createSignInLinks(store: Store): SignInLinks {
  return {
    async add({ owner, ...link }, digest) {
      await store.insert(SignInLinkEntity, {
        ...link,
        companyId: null,
        investorId: null,
        ...owner,
        digest: digest === null ? null : toBytes(digest),
      });
    },

    async renew({ id, attempts }, digest, expiresAt) {
      const claimed = { id, attempts, state: 'waiting' } as const;
      const renewal = { digest: toBytes(digest), expiresAt };
      return (await store.update(SignInLinkEntity, claimed, renewal)) === 1;
    },

    async forget(before) {
      await store.remove(SignInLinkEntity, { createdAt: { $lt: before } });
    },
  };
}
