import { vi } from 'vitest';
import type { AccessToken, CompanyUseCases, InvestorUseCases, Ports } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';
import { type CompanyDriver, createCompanyDriver } from '../parity/drivers/company.ts';
import { createDrivers, type Drivers } from '../parity/drivers/index.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Storage, startService, type TestService } from '../support/service.ts';
import { type Browser, openBrowser } from './desk/browser.ts';
import { pendingDays } from './plan.ts';

export interface Harness {
  readonly service: TestService;
  readonly drivers: Drivers;
  readonly company: CompanyDriver;
  readonly browser: Browser;
  readonly http: HttpClient;
  readonly companyUseCases: CompanyUseCases;
  readonly investorUseCases: InvestorUseCases;
  readonly ports: Ports;
  /** Issues a token as an authorization server would. Null if the service accepts no tokens. */
  readonly issueToken: ((token: AccessToken) => string) | null;
  /** Runs `work` once, after the next admission and before any other check. */
  afterAdmission(work: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Replacements that break the policy on purpose. */
export interface Breakage {
  readonly replace?: (ports: Ports) => Partial<Ports>;
  readonly interpose?: (useCases: InvestorUseCases, ports: Ports) => InvestorUseCases;
  readonly interposeCompanies?: (useCases: CompanyUseCases, ports: Ports) => CompanyUseCases;
}

const environment = {
  PENDING_TTL_DAYS: String(pendingDays),
  RATE_LIMIT_POINTS: '1000000',
};

export async function openHarness(storage: Storage, broken: Breakage = {}): Promise<Harness> {
  let afterAdmission: (() => Promise<unknown>) | undefined;
  let ports: Ports | undefined;
  let companyUseCases: CompanyUseCases | undefined;
  let investorUseCases: InvestorUseCases | undefined;
  const issued = new Map<string, AccessToken>();
  const service = await startService({
    storage,
    environment,
    bounds: { graphql: { maxCost: 1_000_000 } },
    replace(inMemory) {
      // The cache that a process uses in front of a real database.
      const companyData = cacheCompanyData(inMemory.companyData, new DataCache(1_000_000));
      const accessTokens = { verify: async (token: string) => issued.get(token) ?? null };
      const whole = { ...inMemory, companyData, accessTokens };
      ports = { ...whole, ...broken.replace?.(whole) };
      return ports;
    },
    interposeCompanies(useCases) {
      companyUseCases = (ports && broken.interposeCompanies?.(useCases, ports)) ?? useCases;
      return companyUseCases;
    },
    interpose(useCases) {
      const kept = ports && broken.interpose ? broken.interpose(useCases, ports) : useCases;
      investorUseCases = {
        ...kept,
        async admitCaller(...given) {
          const admission = await kept.admitCaller(...given);
          const work = afterAdmission;
          afterAdmission = undefined;
          await work?.();
          return admission;
        },
      };
      return investorUseCases;
    },
  });
  const drivers = createDrivers(service);
  const browser = openBrowser(service.url);
  const http = createHttpClient(service.url);
  return {
    service,
    drivers,
    company: createCompanyDriver(service),
    browser,
    http,
    companyUseCases: companyUseCases as CompanyUseCases,
    investorUseCases: investorUseCases as InvestorUseCases,
    ports: ports as Ports,
    issueToken:
      'memory' in storage
        ? (token) => {
            // The prefix makes the other environment reject the token, like a key.
            const text = `token_live_${issued.size}.e30.c2ln`;
            issued.set(text, token);
            return text;
          }
        : null,
    afterAdmission(work) {
      afterAdmission = work;
    },
    async close() {
      vi.useRealTimers();
      for (const driver of [...Object.values(drivers), browser, http]) {
        driver.close();
      }
      await service.close();
    },
  };
}
