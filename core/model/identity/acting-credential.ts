import type { Scope } from '../consent/scopes.ts';
import type { Session } from '../sign-in/session.ts';
import type { CompanyScope } from './company-key.ts';
import type { KeyValidity } from './key-state.ts';
import type { Owner } from './owner.ts';
import type { Role } from './roles.ts';

/**
 * The credential of a caller that makes a change. A body can arrive minutes after the headers that admitted the caller.
 * So a port method with a credential must begin its transaction with three steps: lock the credential so that it can't
 * end, read its committed state, and call `require`. If `require` throws, nothing changes. Operators and the service
 * have no credential: null skips the check.
 */
export type ActingCredential = ActingKey | ActingSession;

interface Checkable<State> {
  readonly id: string;
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
  readonly role: Role;
}

/** A session no longer exists if it acts for another organisation now, or if its contact was removed or suspended. */
export interface ActingSession extends Checkable<ActingSessionState> {
  readonly type: 'session';
  readonly contactId: string;
}

export interface Permitted {
  /** Null for an operator or the service. */
  readonly credential: ActingCredential | null;
}

export const credentialBehind = (permitted: Permitted | null): ActingCredential | null =>
  permitted?.credential ?? null;
