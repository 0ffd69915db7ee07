import type { FastifyRequest } from 'fastify';
import type { CompanyCaller, InvestorKeyCaller } from '#core';
import type { ApiOptions } from './api.ts';
import { createWriter, type WriteData, type WriteItems } from './data-body.ts';
import type { Endpoint } from './endpoint.ts';

interface Context<Caller> {
  readonly caller: Caller;
  readonly write: WriteData;
  /**
   * Charges additional points.
   *
   * @throws AccessError `rate_limit_exceeded` if no points were left before
   */
  charge(points: number): Promise<void>;
}

export type CompanyContext = Context<CompanyCaller>;
export type CompanyEndpoint = Endpoint<CompanyContext>;

export interface InvestorContext extends Context<InvestorKeyCaller> {
  readonly writeItems: WriteItems;
}

export type InvestorEndpoint = Endpoint<InvestorContext>;

export const createContext = <Caller extends { readonly credentialId: string }>(
  name: string,
  caller: Caller,
  request: FastifyRequest,
  { cache, charge }: ApiOptions<unknown>,
): Context<Caller> => ({
  caller,
  write: createWriter(request, cache, name, caller.credentialId),
  charge: (points) => charge(request, points),
});
