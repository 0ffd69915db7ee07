import type { Environment } from '../identity/investor.ts';
import type { KeyValidity } from '../identity/key-state.ts';
import type { CompanyRole, InvestorRole } from '../identity/roles.ts';
import { addMilliseconds, earlierOf } from '../time.ts';
import type { SignInWay } from './sign-in-way.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A session ends so long after its beginning, whatever is done in it, */
export const sessionMilliseconds = 12 * hour;
/** and so long after it was last used. */
const idleMilliseconds = hour;
/** How exactly its last use is written down. */
const lastUseMilliseconds = minute;

/** A person who has proved that an address is theirs, in one browser. */
export interface Session {
  readonly id: string;
  readonly email: string;
  /** The contact as whom the person acts, and with it the organisation; null while none is chosen, or it was removed. */
  readonly contactId: string | null;
  /** The browser, in words for the person; null: unknown. */
  readonly device: string | null;
  readonly signedInBy: SignInWay;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** The part of a session that admits its contact. */
export interface CallingSession
  extends Pick<Session, 'id' | 'email' | 'signedInBy' | 'lastSeenAt' | 'expiresAt'> {
  readonly chosen: ChosenOrganisation | null;
  /** How many companies and investors have the address as a contact now. */
  readonly organisationCount: number;
}

/** The organisation for which a session acts, and as which contact of it. */
type ChosenOrganisation = { readonly contactId: string; readonly environment: Environment } & (
  | { readonly companyId: string; readonly companyName: string; readonly role: CompanyRole }
  | { readonly investorId: string; readonly investorName: string; readonly role: InvestorRole }
);

export const sessionPrefix = 'svc_ds_';

const pattern = /^svc_ds_[0-9A-Za-z]{32}$/;

/** Whether a credential has the form of a session's at all. */
export function isWellFormedSession(credential: string): boolean {
  return pattern.test(credential);
}

/** A session that is used no more ends before its time. */
export function validityOfSession({
  lastSeenAt,
  expiresAt,
}: Pick<Session, 'lastSeenAt' | 'expiresAt'>): KeyValidity {
  const idleAt = addMilliseconds(lastSeenAt, idleMilliseconds);
  return { expiresAt: earlierOf(idleAt, expiresAt), revokedAt: null };
}

/** Whether a use is to be written down: not each one, so that reading pages seldom writes. */
export function isUseToBeWritten({ lastSeenAt }: Pick<Session, 'lastSeenAt'>, now: Date): boolean {
  return addMilliseconds(lastSeenAt, lastUseMilliseconds) <= now;
}
