import type { Scope } from '../consent/scopes.ts';
import type { Session } from '../sign-in/session.ts';
import type { CompanyScope } from './company-key.ts';
import type { KeyValidity } from './key-state.ts';
import type { Owner } from './owner.ts';
import type { Role } from './roles.ts';

/**
 * The credential of a caller that makes a change. The service admits the caller after the HTTP headers, but the body
 * can arrive minutes later. Meanwhile the credential can expire or be revoked. So a port method with a credential must
 * begin its transaction with three steps: lock the credential, read its committed state, and call `require`. The lock
 * prevents a revocation during the transaction. If `require` throws, nothing changes. Operators and the service have no
 * credential: null skips the check.
 */
export type ActingCredential = ActingKey | ActingSession;

interface Checkable<State> {
  readonly id: string;
  readonly owner: Owner;
  /**
   * @param state null if the credential no longer exists
   * @throws AccessError `invalid_api_key`, `insufficient_scope` or `insufficient_role`, like at the start of a call
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
  readonly role: Role;
}

/**
 * The session of a person who makes a change. Its state is null if the session now acts for another organisation, if
 * its contact was removed, or if the organisation was suspended.
 */
export interface ActingSession extends Checkable<ActingSessionState> {
  readonly type: 'session';
  readonly contactId: string;
}

export interface Permitted {
  /** The credential of the caller. Null for an operator or the service. */
  readonly credential: ActingCredential | null;
}

export const credentialBehind = (permitted: Permitted | null): ActingCredential | null =>
  permitted?.credential ?? null;
