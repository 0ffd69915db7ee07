import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/metrics/{key}/history', (given) => {
  it.each(['burn_rate', 'no-such-metric', '__proto__', '%00', 'a'.repeat(2000), '%2e%2e'])(
    'returns an empty list when the company has no data for %s',
    async (metricKey) => {
      const { get } = given();
      const { company, key } = await sharedPortfolio(given());
      const answer = await get(`/v1/companies/${company.id}/metrics/${metricKey}/history`, key);
      expectOk(answer);
      expect(answer.body).toMatchObject({ object: 'list', data: [], has_more: false });
    },
  );

  it('goes from one period to another, both included', async () => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const path = `/v1/companies/${company.id}/metrics/cash_balance/history`;
    const periods = async (query: string) => {
      const { body } = await get(`${path}?${query}`, key);
      expect(body.url).toBe(path);
      return body.data.map(({ period }: { period: string }) => period);
    };
    expect(await periods('from=2026-09-30')).toEqual(['2026-09-30', '2026-10-31']);
    expect(await periods('to=2026-09-30')).toEqual(['2026-08-31', '2026-09-30']);
    expect(await periods('from=2026-09-01&to=2026-09-30')).toEqual(['2026-09-30']);
    expect(await periods('from=2026-10-01&to=2026-09-01')).toEqual([]);
    for (const query of ['from=', 'from=2026-02-30', 'to=yesterday', 'from=2026-01-01&from=x']) {
      expectRefusal(await get(`${path}?${query}`, key), 'invalid_parameter');
    }
  });
});
