import type { ClaimedLink, SignInLinks } from '#core';
import { SignInLinkEntity } from '../entities/sign-in.ts';
import { type Store, sql } from '../store.ts';
import { toBytes } from './rows.ts';

export function createSignInLinks(store: Store): SignInLinks {
  return {
    async add(link, digest) {
      const bytes = digest === null ? null : toBytes(digest);
      await store.write((em) => em.insert(SignInLinkEntity, { ...link, digest: bytes }));
    },

    claim: ({ now, until, limit, bound: { count, milliseconds } }) =>
      store.run(sql<ClaimedLink>`
        with due as (
          select id from sign_in_link where state = 'waiting' and next_attempt_at <= ${now}
          order by next_attempt_at, id limit ${limit} for update skip locked
        )
        update sign_in_link as link set attempts = attempts + 1, next_attempt_at = ${until}
        from due where link.id = due.id
        returning link.id, link.email, link.attempts, link.created_at as "createdAt",
          exists (select from company_contact where email = link.email) as "isOfContact",
          ${count} <= (
            select count(*) from (
              select from sign_in_link as earlier
              where earlier.email = link.email and earlier.state in ('waiting', 'sent')
                and earlier.created_at > link.created_at - ${milliseconds} * interval '1 millisecond'
                and (earlier.created_at, earlier.id) < (link.created_at, link.id)
              limit ${count}
            ) as earlier) as "isExcessive"`),

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

    async settle({ id, attempts }, { state, nextAttemptAt }) {
      await store.write((em) =>
        em.nativeUpdate(
          SignInLinkEntity,
          { id, attempts, state: 'waiting' },
          { state, nextAttemptAt },
        ),
      );
    },

    async forget(before) {
      await store.write((em) => em.nativeDelete(SignInLinkEntity, { createdAt: { $lt: before } }));
    },
  };
}
