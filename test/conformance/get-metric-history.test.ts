import { expect, it } from 'vitest';
import { gatedEndpoints } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';
import { gateCases } from './gate-cases.ts';

const endpoint = gatedEndpoints.find(({ name }) => name === 'metric history');
if (endpoint === undefined) throw new Error('the endpoint is not in the table');

conformance('GET /v1/companies/{id}/metrics/{key}/history', (given) => {
  gateCases(endpoint, given);

  it('returns the time series of the one metric, oldest first', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.readablePortfolio();
    const answer = await get(`/v1/companies/${company.id}/metrics/cash_balance/history`, key);
    expectOk(answer);
    const points = answer.body.data.map((metric: Record<string, unknown>) => [
      metric.key,
      metric.period,
      metric.raw_value,
    ]);
    expect(points).toEqual([
      ['cash_balance', '2026-08-31', 1_500_000],
      ['cash_balance', '2026-09-30', 1_250_000.5],
      ['cash_balance', '2026-10-31', 990_000.25],
    ]);
  });

  it.each(['burn_rate', 'no-such-metric', '__proto__', '%00', 'a'.repeat(2000), '%2e%2e'])(
    'returns an empty list when the company has no data for %s',
    async (metricKey) => {
      const { get, fixtures } = given();
      const { company, key } = await fixtures.readablePortfolio();
      const answer = await get(`/v1/companies/${company.id}/metrics/${metricKey}/history`, key);
      expectOk(answer);
      expect(answer.body).toMatchObject({ object: 'list', data: [], has_more: false });
    },
  );

  it('does not tell an outsider whether there is data', async () => {
    const { get, fixtures } = given();
    const { company } = await fixtures.readablePortfolio();
    const { key } = await fixtures.portfolio();
    expectRefusal(
      await get(`/v1/companies/${company.id}/metrics/no_data/history`, key),
      'company_not_found',
    );
  });
});
