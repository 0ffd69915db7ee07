import { expect, it } from 'vitest';
import { expectRefusal } from '../support/expectations.ts';
import { publicUrl } from '../support/service.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/metrics', (service) => {
  const { get } = service;

  it('accepts one list of at most 200 keys, and the field url contains no query', async () => {
    const { company, key } = await sharedPortfolio(service);
    const path = `/v1/companies/${company.id}/metrics`;
    expect((await get(`${path}?keys=headcount`, key)).body.url).toBe(path);
    for (const query of ['keys=a&keys=b', `keys=${'a,'.repeat(200)}a`]) {
      expectRefusal(await get(`${path}?${query}`, key), 'invalid_parameter');
    }
  });

  it('returns exactly the fields of the API contract, with the amount as number and text', async () => {
    const { company, key } = await sharedPortfolio(service);
    const { body } = await get(`/v1/companies/${company.id}/metrics`, key);
    const cash = body.data.find((metric: { key: string }) => metric.key === 'cash_balance');
    expect(cash).toEqual({
      company_id: company.id,
      key: 'cash_balance',
      label: 'Cash balance',
      currency: 'USD',
      period: '2026-10-31',
      source: { system: 'mercury', method: 'api', last_synced: '2026-11-01T04:00:00.000Z' },
      verification: {
        verified: true,
        signed: true,
        signature: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
        public_key_url: `${publicUrl}/.well-known/jwks.json`,
      },
      confidence: 'high',
      value: expect.any(String),
      raw_value: 990_000.25,
      raw_value_text: '990000.25',
      category: 'liquidity',
      as_of: '2026-10-31T23:59:59.000Z',
    });
    expect(cash.value).toContain('990,000.25');
  });
});
