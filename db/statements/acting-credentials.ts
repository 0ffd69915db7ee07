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
 * A change is made with a credential: an API key or a session. The locks in these statements order the change and the
 * revocation of its credential. If the revocation comes first, the change is refused. If the change comes first, the
 * revocation waits until the change is committed. The same applies to a session that is closed, and to an owner who is
 * suspended.
 */
const statements = {
  // Locks the key's owner before the key, like a key rotation does. The owner's lock conflicts only with a suspension.
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

  /** Calls a database function, because the service role may neither read sessions nor lock contacts. */
  session: ({ id, contactId }: Pick<ActingSession, 'id' | 'contactId'>) => sql<ActingSessionState>`
    select role, last_seen_at as "lastSeenAt", expires_at as "expiresAt"
    from lock_acting_session(${id}, ${contactId})`,
};

/**
 * Every change calls this function first, with one exception: a change that also locks its owner's row must lock the
 * row before the call. A suspension locks in the same order, so no deadlock occurs.
 *
 * @throws the errors that `credential.require` throws
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
