import type { CallingSession, Session } from '../model/sign-in/session.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';
import type { ClaimedLink, MailAttempt, MailQueue } from './queues.ts';

/** A secret's digest beside what it opens; the secret itself is never kept. */
export interface NewSession {
  readonly session: Omit<Session, 'email' | 'contactId'>;
  readonly digest: string;
}

/** An organisation of which somebody is a contact. */
export interface OwnOrganisation {
  readonly id: string;
  readonly name: string;
  readonly kind: 'company' | 'investor';
}

interface Redemption {
  /** Of the link's token. */
  readonly digest: string;
  readonly now: Date;
  readonly newSession: NewSession;
  /** Of the credential that the browser had before: its session ends. */
  readonly previousDigest: string | null;
}

/** A session for an address that somebody else than us has verified. */
interface NewSessionOfAddress extends Pick<Redemption, 'newSession' | 'previousDigest'> {
  readonly email: string;
}

/** People wait for links, so links are claimed apart from other mails. */
export interface SignInLinks extends MailQueue<ClaimedLink> {
  /** @param digest of its token; null while it has none */
  add(link: SignInLink, digest: string | null): Promise<void>;
  /** Gives a link another token in place of the one that it had. Must answer false when it was claimed again meanwhile. */
  renew(attempt: MailAttempt, digest: string, expiresAt: Date): Promise<boolean>;
  /** Removes what was made before the instant. */
  forget(before: Date): Promise<void>;
}

export interface DeskSessions {
  /**
   * Uses a link up and opens a session for its address, in one transaction; a link that was made for an organisation
   * chooses it, and so does an address that is a contact of one only. Must open one session for a link, however many try
   * at once on any process; must answer null when the link is unknown, used or has ended, or its address is a contact no
   * more, and then change nothing.
   */
  open(redemption: Redemption): Promise<Session | null>;
  /** The same without a link; must answer null, and change nothing, when the address is no contact. */
  openForAddress(opening: NewSessionOfAddress): Promise<Session | null>;
  /**
   * The session of a credential, by its digest; null when it belongs to none. Must be read from what is committed at the
   * time of the call, and any number of questions asked at once must be answered in one statement.
   */
  authenticate(digest: string): Promise<CallingSession | null>;
  /**
   * The session with the id while it acts as the contact; null otherwise. The same as `authenticate` in all else.
   */
  findActing(acting: {
    readonly id: string;
    readonly contactId: string;
  }): Promise<Pick<Session, 'lastSeenAt' | 'expiresAt'> | null>;
  /** Writes a use down, unless a later one is. */
  touch(id: string, now: Date): Promise<void>;
  /** Must answer false when the address of the session is no contact of the organisation. */
  choose(id: string, organisationId: string): Promise<boolean>;
  /** The companies and investors that have the address as a contact, by name. */
  listOrganisations(email: string): Promise<OwnOrganisation[]>;
  /** Newest first, also those that have ended and are not forgotten. */
  list(email: string): Promise<Session[]>;
  /**
   * Ends a session, and returns whether it was there. With `by` it must be a session of the same address, and must
   * stay when the session `by` isn't there; null: any session, for an operator.
   */
  end(id: string, by: Pick<Session, 'id' | 'email'> | null): Promise<boolean>;
  /**
   * Must answer true to exactly one of any number of callers who name the same form of the session, on any process, and
   * to none when there is no such session. It is remembered as long as the session.
   */
  claimForm(sessionId: string, formId: string): Promise<boolean>;
  /** Removes the sessions whose time is over. */
  forget(now: Date): Promise<void>;
}
