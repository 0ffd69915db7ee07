import type { ClaimedLink, SignInLinks } from '#core';
import { type Store, sql } from '../connections/store.ts';
import { SignInLinkEntity } from '../entities/sign-in.ts';
import { createMailQueue } from './queue.ts';
import { isActiveContact, toBytes } from './rows.ts';

export function createSignInLinks(store: Store): SignInLinks {
  return {
    ...createMailQueue(store, {
      table: sql.table('sign_in_link'),
      columns: sql`item.id, item.email, item.attempts, item.created_at as "createdAt",
        exists (select from contact
          where email = item.email and ${isActiveContact}) as "isOfContact",
        (select language from contact
          where email = item.email and language is not null limit 1) as language`,
      isSimilar: sql`earlier.email = item.email and earlier.state in ('waiting', 'sent')`,
      read: (rows: ClaimedLink[]) => rows,
      settle: (claimed, { state, nextAttemptAt }) =>
        store.update(SignInLinkEntity, claimed, { state, nextAttemptAt }),
    }),

    async add({ owner, ...link }, digest) {
      await store.insert(SignInLinkEntity, {
        ...link,
        ...owner,
        digest: digest === null ? null : toBytes(digest),
      });
    },

    async renew({ id, attempts }, digest, expiresAt) {
      const claimed = { id, attempts, state: 'waiting' } as const;
      const renewal = { digest: toBytes(digest), expiresAt };
      return (await store.update(SignInLinkEntity, claimed, renewal)) === 1;
    },

    async deleteOld(before) {
      await store.remove(SignInLinkEntity, { createdAt: { $lt: before } });
    },
  };
}
