import type { CallingSession, Session } from '../model/sign-in/session.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';
import type { ClaimedLink, MailAttempt, MailQueue } from './queues.ts';

/** A session with the digest of its secret. The secret isn't stored. */
export interface NewSession {
  readonly session: Omit<Session, 'email' | 'contactId'>;
  readonly digest: string;
}

export interface OwnOrganisation {
  readonly id: string;
  readonly name: string;
  readonly kind: 'company' | 'investor';
}

interface Redemption {
  /** The digest of the link's token. */
  readonly digest: string;
  readonly now: Date;
  readonly newSession: NewSession;
  readonly previousDigest: string | null;
}

/** A session for an address that a provider verified. */
interface NewSessionOfAddress extends Pick<Redemption, 'newSession' | 'previousDigest'> {
  readonly email: string;
}

/** Sign-in links are claimed separately from other mails, because people wait for them. */
export interface SignInLinks extends MailQueue<ClaimedLink> {
  /** @param digest the digest of the token. Null while the link has no token */
  add(link: SignInLink, digest: string | null): Promise<void>;
  /** Replaces the token of a link. Must return false if another process has claimed the link meanwhile. */
  renew(attempt: MailAttempt, digest: string, expiresAt: Date): Promise<boolean>;
  deleteOld(before: Date): Promise<void>;
}

export interface DeskSessions {
  /**
   * Uses up a link and opens a session for its address, in one transaction. Chooses the organisation of the link, or
   * the only organisation of the address. Must open only one session per link, even if many callers try at once in
   * several processes. Must return null and change nothing if the link is unknown, used or expired, or if no contact
   * has the address.
   */
  open(redemption: Redemption): Promise<Session | null>;
  /** Like `open`, without a link. Must return null and change nothing if no contact has the address. */
  openForAddress(opening: NewSessionOfAddress): Promise<Session | null>;
  /**
   * Returns the session of a credential, or null. Must see every change that was committed before the call. Concurrent
   * calls must share one SQL statement.
   */
  authenticate(digest: string): Promise<CallingSession | null>;
  /** Returns null unless the session acts as the contact. Otherwise like `authenticate`. */
  findActing(acting: {
    readonly id: string;
    readonly contactId: string;
  }): Promise<Pick<Session, 'lastSeenAt' | 'expiresAt'> | null>;
  /** Stores the time of a use, if no later time is stored. */
  touch(id: string, now: Date): Promise<void>;
  /** Must return false if no contact of the organisation has the session's address. */
  choose(id: string, organisationId: string): Promise<boolean>;
  /** Returns the organisations that have the address as a contact, by name. */
  listOrganisations(email: string): Promise<OwnOrganisation[]>;
  /** Newest first. Includes expired sessions that aren't removed yet. */
  list(email: string): Promise<Session[]>;
  /**
   * Ends a session. Returns true if the session existed. `by` is the caller's session: it must still exist, and must
   * have the same address as the ended session. Null means an operator, who can end any session.
   */
  end(id: string, by: Pick<Session, 'id' | 'email'> | null): Promise<boolean>;
  /**
   * Accepts a form once. If many callers send the same form at once, must return true to exactly one of them, in any
   * process. Must return false if the session doesn't exist. The form's ID is stored as long as the session.
   */
  claimForm(sessionId: string, formId: string): Promise<boolean>;
  deleteExpired(now: Date): Promise<void>;
}
