import { importRecords } from './company-data/import-records.ts';
import { createCompany, listCompanies } from './company-data/manage-companies.ts';
import { addToPortfolio, removeFromPortfolio } from './company-data/manage-portfolio.ts';
import { readAccounts } from './company-data/read-accounts.ts';
import {
  readLatestMetric,
  readLatestMetrics,
  readMetricHistory,
} from './company-data/read-metrics.ts';
import { listPortfolio, readPortfolioCompany } from './company-data/read-portfolio.ts';
import { readReports } from './company-data/read-reports.ts';
import { readSources } from './company-data/read-sources.ts';
import {
  approveAccessRequest,
  declineAccessRequest,
  revokeAccessRequest,
} from './consent/decide-access-request.ts';
import { expireAccessRequests } from './consent/expire-access-requests.ts';
import { listAccessRecords } from './consent/list-access-records.ts';
import {
  dropAccessRecords,
  listCompanyAccessRecords,
} from './consent/list-company-access-records.ts';
import {
  listAccessEvents,
  listCompanyAccessRequests,
} from './consent/list-company-access-requests.ts';
import { listAccessRequests, readAccessRequest } from './consent/read-access-requests.ts';
import { requestAccess } from './consent/request-access.ts';
import { admitCaller } from './identity/admit-caller.ts';
import { chargeCaller } from './identity/charge-caller.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './identity/manage-api-keys.ts';
import { createInvestor, listInvestors } from './identity/manage-investors.ts';
import { readInvestor } from './identity/read-investor.ts';
import type { Ports } from './ports.ts';

/** What a caller with an API key can do, in any protocol. */
export function createCallerUseCases(ports: Ports) {
  return {
    admitCaller: admitCaller(ports),
    chargeCaller: chargeCaller(ports),
    listAccessRecords: listAccessRecords(ports),
    listAccessRequests: listAccessRequests(ports),
    listPortfolio: listPortfolio(ports),
    readAccessRequest: readAccessRequest(ports),
    readAccounts: readAccounts(ports),
    readInvestor: readInvestor(ports),
    readLatestMetric: readLatestMetric(ports),
    readLatestMetrics: readLatestMetrics(ports),
    readMetricHistory: readMetricHistory(ports),
    readPortfolioCompany: readPortfolioCompany(ports),
    readReports,
    readSources: readSources(ports),
    requestAccess: requestAccess(ports),
  };
}

/** What an operator does, and a company through the operator. */
export function createOperatorUseCases(ports: Ports) {
  return {
    addToPortfolio: addToPortfolio(ports),
    approveAccessRequest: approveAccessRequest(ports),
    createApiKey: createApiKey(ports),
    createCompany: createCompany(ports),
    createInvestor: createInvestor(ports),
    declineAccessRequest: declineAccessRequest(ports),
    dropAccessRecords: dropAccessRecords(ports),
    expireAccessRequests: expireAccessRequests(ports),
    importRecords: importRecords(ports),
    listAccessEvents: listAccessEvents(ports),
    listApiKeys: listApiKeys(ports),
    listCompanies: listCompanies(ports),
    listInvestors: listInvestors(ports),
    removeFromPortfolio: removeFromPortfolio(ports),
    listCompanyAccessRecords: listCompanyAccessRecords(ports),
    listCompanyAccessRequests: listCompanyAccessRequests(ports),
    revokeAccessRequest: revokeAccessRequest(ports),
    revokeApiKey: revokeApiKey(ports),
    rotateApiKey: rotateApiKey(ports),
  };
}

export type CallerUseCases = ReturnType<typeof createCallerUseCases>;
export type OperatorUseCases = ReturnType<typeof createOperatorUseCases>;
