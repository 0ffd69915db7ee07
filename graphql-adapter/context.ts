import type { FastifyRequest } from 'fastify';
import { AccessError, type Caller, type CallerUseCases, type RateLimitState } from '#core';
import type { OperationTexts } from './list-texts.ts';
import type { ReadBudget } from './read-budget.ts';
import type { GraphqlSettings } from './settings.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gateway once it has admitted the caller; null on what is open to everyone. */
    caller: Caller | null;
    /** The caller's budget as it stands; null on what is open to everyone. */
    rateLimit: RateLimitState | null;
  }
}

/** What an operation knows of the request that it came with. */
export interface Context {
  readonly useCases: CallerUseCases;
  readonly caller: Caller;
  readonly publicUrl: string;
  /** As it was when the caller was admitted. */
  readonly rateLimit: RateLimitState;
  readonly mayWrite: boolean;
  readonly mayIntrospect: boolean;
  /** The companies whose gated data this operation has read so far: they are what it costs. */
  readonly companiesRead: Set<string>;
  /** Shared by all operations of a request. */
  readonly reads: ReadBudget;
  /** How lists of company data are presented. */
  readonly texts: OperationTexts;
}

interface Surroundings {
  readonly useCases: CallerUseCases;
  readonly publicUrl: () => string;
  readonly settings: GraphqlSettings;
}

export function createContext(
  request: FastifyRequest,
  shared: Pick<Context, 'reads' | 'texts'>,
  { useCases, publicUrl, settings }: Surroundings,
): Context {
  const { method, caller, rateLimit } = request;
  if (caller === null || rateLimit === null) throw new AccessError('missing_api_key');
  const { introspection } = settings;
  return {
    useCases,
    caller,
    publicUrl: publicUrl(),
    rateLimit,
    mayWrite: method === 'POST',
    mayIntrospect:
      introspection === 'on' || (introspection === 'test' && caller.environment === 'test'),
    companiesRead: new Set(),
    ...shared,
  };
}
