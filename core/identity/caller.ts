import type { AccessContext } from '../consent/access-context.ts';
import type { Scope } from '../consent/scopes.ts';
import { AccessError } from '../errors.ts';
import type { Environment } from './investor.ts';

export const protocols = ['rest', 'graphql', 'trpc'] as const;

export type Protocol = (typeof protocols)[number];

/** By which way something was asked for. */
export interface Call {
  readonly requestId: string;
  readonly protocol: Protocol;
}

/** A person or program with a live key, in one call. */
export interface Caller extends Call {
  readonly keyId: string;
  readonly investorId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** What is known of the key's access since the call began. */
  readonly access: AccessContext;
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
