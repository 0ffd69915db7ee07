import type { FastifyRequest } from 'fastify';
import type { InvestorCaller } from '#core';
import { type DataCache, investorCallerOf } from '#http';
import { createWriter, type WriteData } from '../data-body.ts';
import type { Endpoint } from '../endpoint.ts';

export interface InvestorContext {
  readonly caller: InvestorCaller;
  readonly write: WriteData;
}

export type InvestorEndpoint = Endpoint<InvestorContext>;

export function createContext(request: FastifyRequest, cache: DataCache): InvestorContext {
  const caller = investorCallerOf(request);
  return { caller, write: createWriter(request, cache, 'rest', caller.credentialId) };
}
