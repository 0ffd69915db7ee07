import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/metrics/{key}', (given) => {
  it('returns one metric, not a list: the latest value', async () => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const answer = await get(`/v1/companies/${company.id}/metrics/cash_balance`, key);
    expectOk(answer);
    expect(answer.body).toMatchObject({
      company_id: company.id,
      key: 'cash_balance',
      period: '2026-10-31',
      raw_value: 990_000.25,
    });
    const list = await get(`/v1/companies/${company.id}/metrics`, key);
    expect(list.body.data).toContainEqual(answer.body);
  });

  it('names what is not money without a currency', async () => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const { body } = await get(`/v1/companies/${company.id}/metrics/headcount`, key);
    expect(body).toMatchObject({ raw_value: 48, value: '48' });
    expect(body).not.toHaveProperty('currency');
    const history = await get(`/v1/companies/${company.id}/metrics/headcount/history`, key);
    for (const point of history.body.data) expect(point).not.toHaveProperty('currency');
  });

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
  ])('answers metric_not_found for %s, of which there is no data', async (metricKey) => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    expectRefusal(
      await get(`/v1/companies/${company.id}/metrics/${metricKey}`, key),
      'metric_not_found',
    );
  });
});
