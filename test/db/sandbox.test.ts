import { expect, it } from 'vitest';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { openOperatorSide } from '../support/operator.ts';
import { createRoles } from '../support/roles.ts';

await describeOnPostgres('the sandbox companies', (createDatabase) => {
  it('are created only once by two simultaneous processes, whose role can’t change the schema', async () => {
    const { url } = await createDatabase();
    const roles = await createRoles(url);
    const open = () => openOperatorSide({ DATABASE_URL: roles.operatorUrl });
    const sides = [await open(), await open()];
    try {
      const created = await Promise.all(
        [...sides, ...sides].map(({ operator }) =>
          operator.createInvestor({ name: 'Partner', environment: 'test' }),
        ),
      );
      expect(new Set(created.map(({ id }) => id)).size).toBe(4);
      await withClient(url, async (client) => {
        const { rows } = await client.query(`
          select company.id,
            (select count(*)::int from portfolio_membership where company_id = company.id) as portfolios,
            (select count(*)::int from metric_point
              where series_id in (select id from metric_series where company_id = company.id)
            ) as points
          from company order by company.id`);
        const ids = 'approves approves_part declines expires never_answers revokes'.split(' ');
        expect(rows).toEqual(
          ids.map((part) => ({ id: `co_test_${part}`, portfolios: 4, points: 36 })),
        );
      });
    } finally {
      for (const side of sides) await side.close();
      await roles.drop();
    }
  });

  it('cause a call of onSandboxRequest after an access request, but other companies don’t', async () => {
    const { url } = await createDatabase();
    const config = readConfig({ DATABASE_URL: url });
    const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
    let asked = 0;
    const { database, operatorUseCases } = await compose(config, {
      role: 'command',
      rateLimiter,
      onError: () => undefined,
      onSandboxRequest: () => {
        asked += 1;
      },
    });
    try {
      const environment = 'test';
      const { id: investorId } = await operatorUseCases.createInvestor({ name: 'P', environment });
      await operatorUseCases.createCompany({ id: 'co_other', name: 'Other', environment });
      await operatorUseCases.addToPortfolio({ investorId, companyId: 'co_other' });
      const ask = (companyId: string) =>
        operatorUseCases.requestAccess({ investorId, companyId, scopes: ['metrics:read'] });
      await ask('co_other');
      expect(asked).toBe(0);
      await ask('co_test_approves');
      expect(asked).toBe(1);
    } finally {
      await database.close();
      rateLimiter.close();
    }
  });
});
