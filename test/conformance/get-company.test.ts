import { expect, it } from 'vitest';
import { allScopes } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

conformance('GET /v1/companies/{id}', (given) => {
  it('is the company as it stands in the list', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.readablePortfolio();
    const answer = await get(`/v1/companies/${company.id}`, key);
    expectOk(answer);
    expect(answer.body).toMatchObject({ id: company.id, object: 'company', access: 'approved' });
    const { body } = await get('/v1/companies', key);
    expect(body.data).toEqual([answer.body]);
  });

  it('needs companies:read, and no grant', async () => {
    const { get, fixtures } = given();
    const { investor, company } = await fixtures.portfolio();
    const path = `/v1/companies/${company.id}`;
    const narrow = await fixtures.key(investor, { scopes: ['companies:read'] });
    expect((await get(path, narrow.key)).body.access).toBe('none');
    const scopes = allScopes.filter((scope) => scope !== 'companies:read');
    const without = await fixtures.key(investor, { scopes });
    expectRefusal(await get(path, without.key), 'insufficient_scope');
  });

  it('does not exist outside of the portfolio', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio();
    const { company: foreign } = await fixtures.readablePortfolio();
    for (const id of [foreign.id, 'co_none', 'impossible', '%zz', 'a'.repeat(2_000)]) {
      expectRefusal(await get(`/v1/companies/${id}`, key), 'company_not_found');
    }
  });
});
