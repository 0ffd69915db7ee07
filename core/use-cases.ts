import { importRecords } from './company-data/import-records.ts';
import {
  addToPortfolio,
  createCompany,
  listCompanies,
  removeFromPortfolio,
} from './company-data/manage-companies.ts';
import {
  readAccounts,
  readLatestMetric,
  readLatestMetrics,
  readMetricHistory,
  readReports,
  readSources,
} from './company-data/read-company-data.ts';
import { listPortfolio, readPortfolioCompany } from './company-data/read-portfolio.ts';
import {
  approveAccessRequest,
  declineAccessRequest,
  expireAccessRequests,
  revokeAccessRequest,
} from './consent/decide-access-request.ts';
import {
  dropAccessRecords,
  listAccessRecords,
  listCompanyAccessRecords,
} from './consent/list-access-records.ts';
import {
  listAccessEvents,
  listAccessRequests,
  listCompanyAccessRequests,
  readAccessRequest,
} from './consent/list-access-requests.ts';
import { requestAccess } from './consent/request-access.ts';
import { admitCaller, chargeCaller } from './identity/admit-caller.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './identity/manage-api-keys.ts';
import { createInvestor, listInvestors, readInvestor } from './identity/manage-investors.ts';
import type { Ports } from './ports.ts';

const callerUseCases = {
  admitCaller,
  chargeCaller,
  listAccessRecords,
  listAccessRequests,
  listPortfolio,
  readAccessRequest,
  readAccounts,
  readInvestor,
  readLatestMetric,
  readLatestMetrics,
  readMetricHistory,
  readPortfolioCompany,
  readReports,
  readSources,
  requestAccess,
};

const operatorUseCases = {
  addToPortfolio,
  approveAccessRequest,
  createApiKey,
  createCompany,
  createInvestor,
  declineAccessRequest,
  dropAccessRecords,
  expireAccessRequests,
  importRecords,
  listAccessEvents,
  listApiKeys,
  listCompanies,
  listCompanyAccessRecords,
  listCompanyAccessRequests,
  listInvestors,
  removeFromPortfolio,
  revokeAccessRequest,
  revokeApiKey,
  rotateApiKey,
};

type OverPorts<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends (ports: Ports) => infer UseCase
    ? UseCase
    : never;
};

function over<UseCases extends Record<string, (ports: Ports) => unknown>>(
  ports: Ports,
  useCases: UseCases,
): OverPorts<UseCases> {
  const entries = Object.entries(useCases).map(([name, useCase]) => [name, useCase(ports)]);
  return Object.fromEntries(entries) as OverPorts<UseCases>;
}

/** What a caller with an API key can do, in any protocol. */
export type CallerUseCases = OverPorts<typeof callerUseCases>;

/** What an operator does, and a company through the operator. */
export type OperatorUseCases = OverPorts<typeof operatorUseCases>;

export const createCallerUseCases = (ports: Ports): CallerUseCases => over(ports, callerUseCases);

export const createOperatorUseCases = (ports: Ports): OperatorUseCases =>
  over(ports, operatorUseCases);
