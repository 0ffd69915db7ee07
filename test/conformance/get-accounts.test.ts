import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/accounts', (service) => {
  const { get } = service;

  it('returns exactly the documented fields', async () => {
    const { company, key } = await sharedPortfolio(service);
    const answer = await get(`/v1/companies/${company.id}/accounts`, key);
    expectOk(answer);
    expect(answer.body.data).toHaveLength(2);
    const common = {
      id: expect.any(String),
      object: 'account',
      company_id: company.id,
      balance: expect.any(String),
      currency: 'USD',
      last_synced_at: '2026-11-01T04:00:00.000Z',
    };
    expect(answer.body.data).toContainEqual({
      ...common,
      provider: 'mercury',
      name: 'Operating account',
      type: 'bank',
      raw_balance: 990_000.25,
      raw_balance_text: '990000.25',
      last_four: '4821',
    });
    expect(answer.body.data).toContainEqual({
      ...common,
      provider: 'brex',
      name: 'Cards',
      type: 'credit',
      raw_balance: -1200,
      raw_balance_text: '-1200',
      last_four: null,
    });
  });

  it('is marked as an addition in the OpenAPI document', () => {
    const { get: operation } = service.document.paths['/v1/companies/{id}/accounts'];
    expect(operation['x-addition']).toBe(true);
  });
});
