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

/** What callers of both sides have. */
interface AnyCaller extends Call {
  readonly keyId: string;
  readonly environment: Environment;
  /** Null: nothing that it does is counted. */
  readonly budget: Budget | null;
}

/** A person or program with a live API key, in one call. */
export interface Caller extends AnyCaller {
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  /** What is known of the key's access since the call began. */
  readonly access: AccessContext;
}

/** A person or program with a live company key, in one call. */
export interface CompanyCaller extends AnyCaller {
  readonly companyId: string;
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
