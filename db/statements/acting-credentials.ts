import type {
  ActingCredential,
  ActingCredentials,
  ActingKey,
  ActingKeyState,
  ActingSession,
  ActingSessionState,
} from '#core';
import { type StatementRunner, type Stores, sql } from '../connections/store.ts';
import { keyOwner, toScopes } from './rows.ts';

/**
 * The locks order a change and the end of its credential. After the end, the change is refused. Before it, the end
 * waits for the commit of the change. A suspension of the owner is an end, too.
 */
const statements = {
  // Locks the owner before the key, like a rotation. The lock of the owner conflicts only with a suspension.
  key({ type, id }: Pick<ActingKey, 'type' | 'id'>) {
    const ownerId = sql.ref(`${keyOwner[type]}_id`);
    return sql<Omit<ActingKeyState, 'scopes'> & { readonly scopes: string }>`
      select scopes::text as scopes, expires_at as "expiresAt",
        coalesce(revoked_at, suspended_at) as "revokedAt"
      from (
        select id as owner_id, suspended_at from ${sql.table(keyOwner[type])}
        where id = (select ${ownerId} from ${sql.table(type)} where id = ${id})
        for key share
      ) as owner
      join ${sql.table(type)} as key on ${ownerId} = owner_id
      where key.id = ${id} for share of key`;
  },

  /** A function, because the role of requests may neither read sessions nor lock contacts. */
  session: ({ id, contactId }: Pick<ActingSession, 'id' | 'contactId'>) => sql<ActingSessionState>`
    select role, last_seen_at as "lastSeenAt", expires_at as "expiresAt"
    from lock_acting_session(${id}, ${contactId})`,
};

/**
 * Every change calls this first. A change that also locks the row of its owner locks it before, like a suspension, so
 * that no deadlock occurs.
 *
 * @throws the errors of the credential's `require`
 */
export async function checkCredential(
  inside: StatementRunner,
  credential: ActingCredential | null,
): Promise<void> {
  if (credential === null) return;
  if (credential.type === 'session') {
    const [state] = await inside.run(statements.session(credential));
    credential.require(state ?? null);
    return;
  }
  const [row] = await inside.run(statements.key(credential));
  credential.require(row === undefined ? null : { ...row, scopes: toScopes(row.scopes) });
}

export const createActingCredentials = ({
  requests,
}: Pick<Stores, 'requests'>): ActingCredentials => ({
  check: (credential) => checkCredential(requests, credential),
});
