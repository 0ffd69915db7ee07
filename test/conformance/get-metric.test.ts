import { it } from 'vitest';
import { expectRefusal } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/metrics/{key}', (service) => {
  const { get } = service;

  it.each([
    'burn_rate',
    'CASH_BALANCE',
    'cash_balance%20',
    'no-such-metric',
    '__proto__',
    'constructor',
    '%00',
    '%F0%9F%92%A9',
    'a'.repeat(2000),
    '..%2Fcash_balance',
    "cash_balance'--",
  ])('returns metric_not_found for %s, which has no data', async (metricKey) => {
    const { company, key } = await sharedPortfolio(service);
    expectRefusal(
      await get(`/v1/companies/${company.id}/metrics/${metricKey}`, key),
      'metric_not_found',
    );
  });
});
