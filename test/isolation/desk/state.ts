import type { Company, Organisation, State } from '../state.ts';
import type { World } from '../world.ts';

/** The part of the state that only the desk has. */
interface DeskState {
  /** Those who were not removed. */
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
  /** In milliseconds. */
  readonly startedAt: number;
  lastSeenAt: number;
  /** As whom it acts; null: its address has to choose a company first. */
  chosen: Contact | null;
  /** Whether somebody has ended it; time ends it as well. */
  isOver: boolean;
}

/** Of the webhooks of a company. */
interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly company: Company;
}

/** Somebody has read a company's data, or was refused. */
interface Reading {
  readonly reader: Organisation;
  readonly company: Company;
  readonly isAllowed: boolean;
}

/** A world with people in it who look at the pages of the desk. */
export interface DeskWorld extends World {
  readonly desk: DeskState;
  /** The addresses that contacts may have. */
  readonly addresses: readonly string[];
}

const hour = 3_600_000;
export const sessionEnds = { idle: hour, absolute: 12 * hour } as const;

/** A session works until somebody has ended it, for an hour after its last use, and for twelve hours in all. */
export function isOpen({ now }: State, { isOver, startedAt, lastSeenAt }: Session): boolean {
  return !isOver && now < lastSeenAt + sessionEnds.idle && now < startedAt + sessionEnds.absolute;
}

/** Must be told of every use of a session; the last one is known to the minute. */
export function noteUse(all: State, session: Session): void {
  if (isOpen(all, session) && session.lastSeenAt + 60_000 <= all.now) session.lastSeenAt = all.now;
}
