import type { VersionedAccessFacts } from '../consent/ports/access-facts-reader.ts';
import type { Scope } from '../consent/scopes.ts';
import { AccessError } from '../errors.ts';
import type { Environment } from './environment.ts';

export const protocols = ['rest', 'graphql', 'trpc'] as const;

export type Protocol = (typeof protocols)[number];

/** By which way something was asked for. */
export interface Call {
  readonly requestId: string;
  readonly protocol: Protocol;
  /** The one company whose data the call will ask for, once, when that shows before anything is read. */
  readonly companyId?: string;
}

/** A person or program that has shown a live key, in one call. */
export interface Caller extends Call {
  /** How its key stood with that company when the call began. Good for one read. */
  readonly facts?: VersionedAccessFacts;
  readonly keyId: string;
  readonly investorId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** Null: nothing that it does is counted. */
  readonly budget: Budget | null;
}

/** Where the points of a caller are counted. */
export interface Budget {
  readonly bucket: string;
  /** Points a window; null: the default of the service. */
  readonly limit: number | null;
}

/** @throws AccessError `insufficient_scope`, naming the scope */
export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (!caller.scopes.includes(scope)) throw insufficientScope(scope);
}

export function insufficientScope(scope: Scope): AccessError {
  return new AccessError('insufficient_scope', {
    message: `The API key lacks the scope ${scope}.`,
  });
}
