import type { FastifyRequest } from 'fastify';
import type { CompanyCaller } from '#core';
import { companyCallerOf } from '#http';
import type { Endpoint } from '../endpoint.ts';

export interface CompanyContext {
  readonly caller: CompanyCaller;
}

export type CompanyEndpoint = Endpoint<CompanyContext>;

export const createContext = (request: FastifyRequest): CompanyContext => ({
  caller: companyCallerOf(request),
});
