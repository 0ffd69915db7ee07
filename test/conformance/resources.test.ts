import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { publicUrl } from '../support/service.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('company data', (service) => {
  async function read(what: string) {
    const { company, key } = await sharedPortfolio(service);
    const answer = await service.get(`/v1/companies/${company.id}/${what}`, key);
    expectOk(answer);
    return { companyId: company.id, data: answer.body.data };
  }

  it('a metric has exactly the fields of the API contract, with its amount as a number and as text', async () => {
    const { companyId, data } = await read('metrics');
    const cash = data.find((metric: { key: string }) => metric.key === 'cash_balance');
    expect(cash).toEqual({
      company_id: companyId,
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

  it('a source has exactly the fields of the API contract, so it contains no credentials', async () => {
    const { data } = await read('sources');
    expect(data).toHaveLength(2);
    expect(data).toContainEqual({
      object: 'source',
      provider: 'mercury',
      status: 'connected',
      account_name: 'Operating account',
      last_synced_at: '2026-11-01T04:00:00.000Z',
    });
  });

  it('an account has exactly the documented fields, and the API description marks it as an addition', async () => {
    const { companyId, data } = await read('accounts');
    expect(data).toHaveLength(2);
    expect(data).toContainEqual({
      id: expect.any(String),
      object: 'account',
      company_id: companyId,
      provider: 'brex',
      name: 'Cards',
      type: 'credit',
      currency: 'USD',
      balance: expect.any(String),
      raw_balance: -1200,
      raw_balance_text: '-1200',
      last_four: null,
      last_synced_at: '2026-11-01T04:00:00.000Z',
    });
    const { get: operation } = service.document.paths['/v1/companies/{id}/accounts'];
    expect(operation['x-addition']).toBe(true);
  });
});
