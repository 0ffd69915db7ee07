import type { Company, Organisation, State } from '../state.ts';
import type { World } from '../world.ts';

/** The part of the state that belongs to the desk only. */
interface DeskState {
  /** All contacts that weren't removed. */
  readonly contacts: Contact[];
  readonly sessions: Session[];
  readonly endpoints: Endpoint[];
  readonly readings: Reading[];
}

export interface Contact {
  readonly id: string;
  readonly email: string;
  readonly company: Company;
}

export interface Session {
  readonly id: string;
  readonly secret: string;
  readonly email: string;
  /** The time of the sign-in, in milliseconds. */
  readonly startedAt: number;
  lastSeenAt: number;
  /** The contact that the session acts as; null: the address must choose a company first. */
  chosen: Contact | null;
  /** Whether the session was ended by an action. It also ends with time. */
  isOver: boolean;
}

/** A webhook endpoint of a company. */
interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly company: Company;
}

/** A read of a company's data, or a refused attempt. */
interface Reading {
  readonly reader: Organisation;
  readonly company: Company;
  readonly isAllowed: boolean;
}

/** A world with contacts who look at the pages of the desk. */
export interface DeskWorld extends World {
  readonly desk: DeskState;
  /** The addresses that contacts may have. */
  readonly addresses: readonly string[];
}

const hour = 3_600_000;
export const sessionEnds = { idle: hour, absolute: 12 * hour } as const;

/** A session is open until it is ended, for an hour after its last use and for at most twelve hours. */
export function isOpen({ now }: State, { isOver, startedAt, lastSeenAt }: Session): boolean {
  return !isOver && now < lastSeenAt + sessionEnds.idle && now < startedAt + sessionEnds.absolute;
}

/** Records a use of the session. Call it on every use: the service stores the last use to the minute. */
export function noteUse(all: State, session: Session): void {
  if (isOpen(all, session) && session.lastSeenAt + 60_000 <= all.now) session.lastSeenAt = all.now;
}
