import type { FastifyRequest } from 'fastify';
import type { Caller, CallerUseCases, RateLimitState } from '#core';
import { callerOf } from '#http';
import type { OperationReads } from './limits/operation-reads.ts';
import type { RequestBudget } from './limits/request-budget.ts';
import type { OperationTexts } from './serialized-lists/list-texts.ts';
import type { Presentation } from './serialized-lists/presentation.ts';
import type { GraphqlSettings } from './settings.ts';

/** What an operation knows of the request that it came with. */
export interface Context {
  readonly useCases: CallerUseCases;
  readonly caller: Caller;
  readonly publicUrl: string;
  /** As it was when the caller was admitted. */
  readonly rateLimit: RateLimitState;
  readonly mayWrite: boolean;
  readonly mayIntrospect: boolean;
  /** Shared by all operations of a request, as is the presentation. */
  readonly budget: RequestBudget;
  readonly presentation: Presentation;
  readonly reads: OperationReads;
  /** How lists of company data are presented. */
  readonly texts: OperationTexts;
}

interface ContextOptions {
  readonly useCases: CallerUseCases;
  readonly publicUrl: () => string;
  readonly settings: GraphqlSettings;
}

export function createContext(
  request: FastifyRequest,
  parts: Pick<Context, 'budget' | 'presentation' | 'reads' | 'texts'>,
  { useCases, publicUrl, settings }: ContextOptions,
): Context {
  const caller = callerOf(request);
  const { introspection } = settings;
  return {
    useCases,
    caller,
    publicUrl: publicUrl(),
    rateLimit: request.rateLimit,
    mayWrite: request.method === 'POST',
    mayIntrospect:
      introspection === 'on' || (introspection === 'test' && caller.environment === 'test'),
    ...parts,
  };
}
