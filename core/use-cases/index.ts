import type { Ports } from '../ports/index.ts';
import { admitCaller } from './admit-caller.ts';
import {
  approveAccessRequest,
  declineAccessRequest,
  revokeAccessRequest,
} from './answer-access-request.ts';
import { chargeCaller } from './charge-caller.ts';
import { expireLapsed } from './expire-lapsed.ts';
import { importRecords } from './import-records.ts';
import { listAccessRecords } from './list-access-records.ts';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './manage-api-keys.ts';
import { createCompany, listCompanies } from './manage-companies.ts';
import { createInvestor, listInvestors } from './manage-investors.ts';
import { addToPortfolio, removeFromPortfolio } from './manage-portfolio.ts';
import { listAccessRequests, readAccessRequest } from './read-access-requests.ts';
import { readAccounts } from './read-accounts.ts';
import { readInvestor } from './read-investor.ts';
import { readLatestMetric, readLatestMetrics, readMetricHistory } from './read-metrics.ts';
import { listPortfolio, readPortfolioCompany } from './read-portfolio.ts';
import { readReports } from './read-reports.ts';
import { readSources } from './read-sources.ts';
import { requestAccess } from './request-access.ts';
import { dropAccessRecords, reviewAccessRecords } from './review-access-records.ts';
import { listAccessEvents, reviewAccessRequests } from './review-access-requests.ts';

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
    expireLapsed: expireLapsed(ports),
    importRecords: importRecords(ports),
    listAccessEvents: listAccessEvents(ports),
    listApiKeys: listApiKeys(ports),
    listCompanies: listCompanies(ports),
    listInvestors: listInvestors(ports),
    removeFromPortfolio: removeFromPortfolio(ports),
    reviewAccessRecords: reviewAccessRecords(ports),
    reviewAccessRequests: reviewAccessRequests(ports),
    revokeAccessRequest: revokeAccessRequest(ports),
    revokeApiKey: revokeApiKey(ports),
    rotateApiKey: rotateApiKey(ports),
  };
}

export type CallerUseCases = ReturnType<typeof createCallerUseCases>;
export type OperatorUseCases = ReturnType<typeof createOperatorUseCases>;
