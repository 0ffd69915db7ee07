import type { FastifyRequest } from 'fastify';
import type { InvestorKeyCaller } from '#core';
import { type DataCache, investorCallerOf } from '#http';
import type { Charge } from '../api.ts';
import { createItemsWriter, createWriter, type WriteData, type WriteItems } from '../data-body.ts';
import type { Endpoint } from '../endpoint.ts';

export interface InvestorContext {
  readonly caller: InvestorKeyCaller;
  readonly write: WriteData;
  readonly writeItems: WriteItems;
  /** @throws AccessError `rate_limit_exceeded` if the budget was already used up */
  charge(points: number): Promise<void>;
}

export type InvestorEndpoint = Endpoint<InvestorContext>;

export function createContext(
  request: FastifyRequest,
  cache: DataCache,
  charge: Charge,
): InvestorContext {
  const caller = investorCallerOf(request);
  return {
    caller,
    write: createWriter(request, cache, 'rest', caller.credentialId),
    writeItems: createItemsWriter(cache, 'rest', caller.credentialId),
    charge: (points) => charge(request, points),
  };
}
