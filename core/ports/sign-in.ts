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

/** A session for an email address that an OpenID provider verified. */
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
   * Uses up a sign-in link and opens a session for the link's address, in one transaction. Chooses the link's
   * organisation. If the link has none, chooses the address's organisation if there is only one. Must open only one
   * session per link, even if many callers try at once in several processes. Must return null and change nothing if the
   * link is unknown, used or expired, or if no contact has the address.
   */
  open(redemption: Redemption): Promise<Session | null>;
  /** Like `open`, but without a link. Must return null and change nothing if no contact has the address. */
  openForAddress(opening: NewSessionOfAddress): Promise<Session | null>;
  /**
   * Returns the session of a credential, or null. Must see every change that was committed before the call. Concurrent
   * calls must share one SQL statement.
   */
  authenticate(digest: string): Promise<CallingSession | null>;
  /** Returns the session if it acts as the contact, or null. The other rules are the same as for `authenticate`. */
  findActing(acting: {
    readonly id: string;
    readonly contactId: string;
  }): Promise<Pick<Session, 'lastSeenAt' | 'expiresAt'> | null>;
  /** Stores the time of a session's use, if no later time is stored. */
  touch(id: string, now: Date): Promise<void>;
  /** Must return false if no contact of the organisation has the session's address. */
  choose(id: string, organisationId: string): Promise<boolean>;
  /** Returns the organisations where the address belongs to a contact, sorted by name. */
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
