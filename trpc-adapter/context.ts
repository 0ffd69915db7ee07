import type { FastifyRequest } from 'fastify';
import type { CallerUseCases } from '#core';
import { callerOf } from '#http';
import type { Context } from './procedures.ts';

export function createContext(
  request: FastifyRequest,
  useCases: CallerUseCases,
  publicUrl: string,
): Context {
  return { useCases, caller: callerOf(request), publicUrl };
}
