import type { FastifyRequest } from 'fastify';
import type { CompanyCaller } from '#core';
import { companyCallerOf } from '#http';
import { type Context, contextOf } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';

export interface CompanyContext extends Context {
  readonly caller: CompanyCaller;
}

export type CompanyEndpoint = Endpoint<CompanyContext>;

export const createContext = (request: FastifyRequest): CompanyContext => ({
  ...contextOf(request),
  caller: companyCallerOf(request),
});
