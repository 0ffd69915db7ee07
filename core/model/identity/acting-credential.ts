import type { Scope } from '../consent/scopes.ts';
import type { Session } from '../sign-in/session.ts';
import type { CompanyScope } from './company-key.ts';
import type { KeyValidity } from './key-state.ts';
import type { Owner } from './owner.ts';
import type { Role } from './roles.ts';

/**
 * The credential of a caller that makes a change. The caller was admitted when its headers came, and its body can come
 * minutes later. A port method that takes a credential must therefore begin the transaction of the change with these
 * steps: lock the credential so that it can't end, read its committed state, and call `require`. If `require` throws,
 * nothing changes. Null skips the check: operators and the service have no credential.
 */
export type ActingCredential = ActingKey | ActingSession;

interface Checkable<State> {
  readonly id: string;
  /** The company or investor for which the caller acts. */
  readonly owner: Owner;
  /**
   * @param state null if the credential no longer exists
   * @throws AccessError `invalid_api_key`, `insufficient_scope`, `insufficient_role`, as at admission
   */
  require(state: State | null): void;
}

export interface ActingKeyState extends KeyValidity {
  readonly scopes: readonly (Scope | CompanyScope)[];
}

export interface ActingKey extends Checkable<ActingKeyState> {
  readonly type: 'api_key' | 'company_key';
}

export interface ActingSessionState extends Pick<Session, 'lastSeenAt' | 'expiresAt'> {
  /** The contact's role. */
  readonly role: Role;
}

/** A session also counts as gone if it was switched to another organisation, or if its contact was removed or suspended. */
export interface ActingSession extends Checkable<ActingSessionState> {
  readonly type: 'session';
  readonly contactId: string;
}

/** A caller that may make a change. */
export interface Permitted {
  /** Null for an operator or the service. */
  readonly credential: ActingCredential | null;
}

/** Returns the credential of a change. Null for an operator. */
export const credentialBehind = (permitted: Permitted | null): ActingCredential | null =>
  permitted?.credential ?? null;
