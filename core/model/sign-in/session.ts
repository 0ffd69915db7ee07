import type { Environment } from '../identity/investor.ts';
import type { KeyValidity } from '../identity/key-state.ts';
import type { CompanyRole, InvestorRole } from '../identity/roles.ts';
import { addMilliseconds, earlierOf } from '../time.ts';
import type { SignInWay } from './sign-in-way.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A session expires this long after its creation. */
export const sessionMilliseconds = 12 * hour;
/** A session expires this long after its last use. */
const idleMilliseconds = hour;
/** At most one use of a session is stored within this time. */
const lastUseMilliseconds = minute;

/** The session of a person in one browser. The person has proved that the address is theirs. */
export interface Session {
  readonly id: string;
  readonly email: string;
  /** The contact that the person acts as. Null if no organisation is chosen, or if the contact was removed. */
  readonly contactId: string | null;
  readonly device: string | null;
  readonly signedInBy: SignInWay;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

export interface CallingSession
  extends Pick<Session, 'id' | 'email' | 'signedInBy' | 'lastSeenAt' | 'expiresAt'> {
  readonly chosen: ChosenOrganisation | null;
  /** The number of organisations where this address belongs to a contact. */
  readonly organisationCount: number;
}

type ChosenOrganisation = { readonly contactId: string; readonly environment: Environment } & (
  | { readonly companyId: string; readonly companyName: string; readonly role: CompanyRole }
  | { readonly investorId: string; readonly investorName: string; readonly role: InvestorRole }
);

export const sessionPrefix = 'svc_ds_';

const pattern = /^svc_ds_[0-9A-Za-z]{32}$/;

export function isWellFormedSession(credential: string): boolean {
  return pattern.test(credential);
}

export function validityOfSession({
  lastSeenAt,
  expiresAt,
}: Pick<Session, 'lastSeenAt' | 'expiresAt'>): KeyValidity {
  const idleAt = addMilliseconds(lastSeenAt, idleMilliseconds);
  return { expiresAt: earlierOf(idleAt, expiresAt), revokedAt: null };
}

/** At most one use per minute is stored, so that most page views write nothing. */
export function isUseToBeWritten({ lastSeenAt }: Pick<Session, 'lastSeenAt'>, now: Date): boolean {
  return addMilliseconds(lastSeenAt, lastUseMilliseconds) <= now;
}
