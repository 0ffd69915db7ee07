import type { FastifyRequest } from 'fastify';
import type { CompanyCaller } from '#core';
import { companyCallerOf, type DataCache } from '#http';
import type { Charge } from '../api.ts';
import { createWriter, type WriteData } from '../data-body.ts';
import type { Endpoint } from '../endpoint.ts';

export interface CompanyContext {
  readonly caller: CompanyCaller;
  readonly write: WriteData;
  /** @throws AccessError `rate_limit_exceeded` if the budget was already used up */
  charge(points: number): Promise<void>;
}

export type CompanyEndpoint = Endpoint<CompanyContext>;

export function createContext(
  request: FastifyRequest,
  cache: DataCache,
  charge: Charge,
): CompanyContext {
  const caller = companyCallerOf(request);
  return {
    caller,
    write: createWriter(request, cache, 'company', caller.credentialId),
    charge: (points) => charge(request, points),
  };
}
