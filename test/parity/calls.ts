import type { GrantableScope, Scope } from '#core';
import type { Credential, Outcome, ProtocolDriver } from './drivers/driver.ts';

type Ask = (driver: ProtocolDriver, as: Credential, companyId: string) => Promise<Outcome<unknown>>;

interface Reading {
  readonly name: string;
  readonly scope: GrantableScope;
  readonly ask: Ask;
}

export const readings: readonly Reading[] = [
  {
    name: 'the latest metrics',
    scope: 'metrics:read',
    ask: (driver, as, companyId) => driver.readLatestMetrics(as, companyId),
  },
  {
    name: 'one metric',
    scope: 'metrics:read',
    ask: (driver, as, companyId) => driver.readLatestMetric(as, companyId, 'cash_balance'),
  },
  {
    name: 'the history of a metric',
    scope: 'metrics:read',
    ask: (driver, as, companyId) => driver.readMetricHistory(as, companyId, 'cash_balance'),
  },
  {
    name: 'the sources',
    scope: 'sources:read',
    ask: (driver, as, companyId) => driver.readSources(as, companyId),
  },
  {
    name: 'the accounts',
    scope: 'accounts:read',
    ask: (driver, as, companyId) => driver.readAccounts(as, companyId),
  },
];

interface Call {
  readonly name: string;
  /** Null if any valid key is enough. */
  readonly scope: Scope | null;
  readonly ask: Ask;
}

export const calls: readonly Call[] = [
  ...readings,
  {
    name: 'the companies',
    scope: 'companies:read',
    ask: (driver, as) => driver.listCompanies(as),
  },
  {
    name: 'the access requests',
    scope: null,
    ask: (driver, as) => driver.listAccessRequests(as),
  },
  {
    name: 'a request for access',
    scope: null,
    ask: (driver, as, companyId) =>
      driver.requestAccess(as, { companyId, scopes: ['metrics:read'] }),
  },
];
