import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/metrics/{key}/history', (service) => {
  const { get } = service;

  it.each(['burn_rate', 'no-such-metric', '__proto__', '%00', 'a'.repeat(2000), '%2e%2e'])(
    'returns an empty list when the company has no data for %s',
    async (metricKey) => {
      const { company, key } = await sharedPortfolio(service);
      const answer = await get(`/v1/companies/${company.id}/metrics/${metricKey}/history`, key);
      expectOk(answer);
      expect(answer.body).toMatchObject({ object: 'list', data: [], has_more: false });
    },
  );

  it('refuses invalid periods, and the field url contains no query', async () => {
    const { company, key } = await sharedPortfolio(service);
    const path = `/v1/companies/${company.id}/metrics/cash_balance/history`;
    expect((await get(`${path}?from=2026-09-30`, key)).body.url).toBe(path);
    for (const query of ['from=', 'from=2026-02-30', 'to=yesterday', 'from=2026-01-01&from=x']) {
      expectRefusal(await get(`${path}?${query}`, key), 'invalid_parameter');
    }
  });
});
