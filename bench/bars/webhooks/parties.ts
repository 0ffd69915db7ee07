import { compose } from '../../../gateway/compose.ts';
import { readConfig } from '../../../gateway/config.ts';
import { createRateLimiter } from '../../../gateway/rate-limit/rate-limiter.ts';
import type { Receiver } from './receiver.ts';

/** Settings of the processes. */
export const environment = {
  WEBHOOK_ALLOW_PRIVATE: 'on',
  WEBHOOK_RETRY_SECONDS: Array.from({ length: 60 }, () => '1').join(','),
};

export interface Company {
  readonly id: string;
  readonly key: string;
}

export interface Parties {
  readonly key: string;
  readonly companies: readonly Company[];
}

/** One investor with several companies; both sides have their endpoints. */
export async function introduce(
  databaseUrl: string,
  count: number,
  receiver: Receiver,
): Promise<Parties> {
  const config = readConfig({ DATABASE_URL: databaseUrl, ...environment });
  const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
  const onError = () => undefined;
  const composition = await compose(config, { role: 'command', rateLimiter, onError });
  const { operatorUseCases: operator } = composition;
  try {
    const investor = await operator.createInvestor({ name: 'Receiver', environment: 'live' });
    const { secret: key } = await operator.createApiKey({
      investorId: investor.id,
      scopes: ['companies:read', 'metrics:read'],
      rateLimit: 1_000_000,
    });
    const add = async (owner: { companyId: string } | { investorId: string }, path: string) => {
      const { secret } = await operator.addWebhook({ ...owner, url: `${receiver.url}${path}` });
      receiver.secrets.set(path, secret);
    };
    await add({ investorId: investor.id }, '/investor');
    const companies: Company[] = [];
    for (let number = 0; number < count; number += 1) {
      const { id } = await operator.createCompany({ name: `C${number}`, environment: 'live' });
      await operator.addToPortfolio({ investorId: investor.id, companyId: id });
      const { secret } = await operator.createCompanyKey({ companyId: id });
      await add({ companyId: id }, `/company/${id}`);
      companies.push({ id, key: secret });
    }
    return { key, companies };
  } finally {
    rateLimiter.close();
    await composition.database.close();
  }
}
