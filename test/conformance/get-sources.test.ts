import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { conformance, sharedPortfolio } from './conformance.ts';

conformance('GET /v1/companies/{id}/sources', (given) => {
  it('returns exactly the fields of the contract, and so no credential', async () => {
    const { get } = given();
    const { company, key } = await sharedPortfolio(given());
    const answer = await get(`/v1/companies/${company.id}/sources`, key);
    expectOk(answer);
    expect(answer.body.data).toHaveLength(2);
    expect(answer.body.data).toContainEqual({
      object: 'source',
      provider: 'mercury',
      status: 'connected',
      account_name: 'Operating account',
      last_synced_at: '2026-11-01T04:00:00.000Z',
    });
    expect(answer.body.data).toContainEqual({
      object: 'source',
      provider: 'gusto',
      status: 'error',
      account_name: 'Payroll',
      last_synced_at: '2026-11-01T04:00:00.000Z',
    });
  });
});
