import type { CallingSession, Session } from '../model/sign-in/session.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';
import type { ClaimedLink, MailAttempt, MailQueue } from './queues.ts';

/** A session with the digest of its secret. The secret isn't stored. */
export interface NewSession {
  readonly session: Omit<Session, 'email' | 'contactId'>;
  readonly digest: string;
}

/** An organisation of a person. */
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
  /** The digest of the browser's earlier credential, whose session ends. */
  readonly previousDigest: string | null;
}

/** A session for an address that a provider verified. */
interface NewSessionOfAddress extends Pick<Redemption, 'newSession' | 'previousDigest'> {
  readonly email: string;
}

/** Sign-in links are claimed apart from other mails, because people wait for them. */
export interface SignInLinks extends MailQueue<ClaimedLink> {
  /** @param digest of the token. Null without a token */
  add(link: SignInLink, digest: string | null): Promise<void>;
  /** Replaces the token of a link. Must return false if the link was claimed again meanwhile. */
  renew(attempt: MailAttempt, digest: string, expiresAt: Date): Promise<boolean>;
  /** Removes links made before this time. */
  forget(before: Date): Promise<void>;
}

export interface DeskSessions {
  /**
   * Uses up a link and opens a session for its address, in one transaction. The organisation is chosen if the link
   * names
   * one, or if the address belongs to only one. Must open one session per link, however many callers try at once in any
   * process. Must return null and change nothing if the link is unknown, used or expired, or its address isn't a
   * contact.
   */
  open(redemption: Redemption): Promise<Session | null>;
  /** The same without a link. Must return null and change nothing if the address isn't a contact. */
  openForAddress(opening: NewSessionOfAddress): Promise<Session | null>;
  /**
   * Returns the session of a credential, or null. Must be read from what is committed at the time of the call. Any
   * number
   * of concurrent questions must take one statement.
   */
  authenticate(digest: string): Promise<CallingSession | null>;
  /** Returns the session with the ID while it acts as the contact, else null. Otherwise like `authenticate`. */
  findActing(acting: {
    readonly id: string;
    readonly contactId: string;
  }): Promise<Pick<Session, 'lastSeenAt' | 'expiresAt'> | null>;
  /** Stores a use, unless a later one is stored. */
  touch(id: string, now: Date): Promise<void>;
  /** Must return false if the session's address isn't a contact of the organisation. */
  choose(id: string, organisationId: string): Promise<boolean>;
  /** The organisations with the address as a contact, by name. */
  listOrganisations(email: string): Promise<OwnOrganisation[]>;
  /** Newest first, including ended sessions that aren't removed yet. */
  list(email: string): Promise<Session[]>;
  /**
   * Ends a session, and returns whether it was there. With `by` it must be a session of the same address, and must
   * stay when the session `by` isn't there; null: any session, for an operator.
   */
  end(id: string, by: Pick<Session, 'id' | 'email'> | null): Promise<boolean>;
  /**
   * Must return true to exactly one of any number of callers that name the same form, in any process, and to none if
   * the
   * session doesn't exist. The form is remembered as long as the session.
   */
  claimForm(sessionId: string, formId: string): Promise<boolean>;
  /** Removes expired sessions. */
  forget(now: Date): Promise<void>;
}
