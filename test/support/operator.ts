import type {
  CompanyUseCases,
  ContactUseCases,
  InvestorUseCases,
  OperatorUseCases,
  ServiceUseCases,
} from '#core';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

export interface OperatorSide {
  readonly operator: OperatorUseCases;
  readonly background: ServiceUseCases;
  readonly companies: CompanyUseCases;
  readonly investors: InvestorUseCases;
  readonly contacts: ContactUseCases;
  readonly fixtures: Fixtures;
  close(): Promise<void>;
}

/** The operator's use cases on the database of running processes, as the command line has them. */
export async function openOperatorSide(
  environment: Readonly<Record<string, string>>,
): Promise<OperatorSide> {
  const config = readConfig({ ...environment });
  const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
  const composition = await compose(config, {
    role: 'command',
    rateLimiter,
    onError: () => undefined,
  });
  const { database, investorUseCases, operatorUseCases } = composition;
  return {
    operator: operatorUseCases,
    background: composition.serviceUseCases,
    companies: composition.companyUseCases,
    investors: investorUseCases,
    contacts: composition.contactUseCases,
    fixtures: createFixtures(operatorUseCases, investorUseCases),
    async close() {
      await database.close();
      rateLimiter.close();
    },
  };
}
