import type { SignInLinks } from '#core';
import { SignInLinkEntity } from '../entities/sign-in.ts';
import type { Store } from '../store.ts';
import { toBytes } from './rows.ts';

export function createSignInLinks(store: Store): SignInLinks {
  return {
    async add(link, digest) {
      const bytes = digest === null ? null : toBytes(digest);
      await store.write((em) => em.insert(SignInLinkEntity, { ...link, digest: bytes }));
    },

    async renew({ id, attempts }, digest, expiresAt) {
      const renewed = await store.write((em) =>
        em.nativeUpdate(
          SignInLinkEntity,
          { id, attempts, state: 'waiting' },
          { digest: toBytes(digest), expiresAt },
        ),
      );
      return renewed === 1;
    },

    async forget(before) {
      await store.write((em) => em.nativeDelete(SignInLinkEntity, { createdAt: { $lt: before } }));
    },
  };
}
