import type { Environment } from './environment.ts';
import { AccessError } from './errors.ts';
import type { Scope } from './scopes.ts';

/** A person or program that has shown a live key. */
export interface Caller {
  readonly keyId: string;
  readonly investorId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** Points a window for this key; null: the default of the service. */
  readonly rateLimit: number | null;
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
