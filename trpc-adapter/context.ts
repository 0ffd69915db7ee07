import type { FastifyRequest } from 'fastify';
import { AccessError, type Caller, type CallerUseCases } from '#core';
import type { Context } from './procedures.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gateway once it has admitted the caller; null on what is open to everyone. */
    caller: Caller | null;
  }
}

export function createContext(
  { caller }: FastifyRequest,
  useCases: CallerUseCases,
  publicUrl: string,
): Context {
  if (caller === null) throw new AccessError('missing_api_key');
  return { useCases, caller, publicUrl };
}
