import { expect, it } from 'vitest';
import { allScopes } from '../support/contract.ts';
import { expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

conformance('GET /v1/companies', ({ get, fixtures }) => {
  it('refuses an unknown value of the parameter access', async () => {
    const { key } = await fixtures.portfolio();
    expectRefusal(await get('/v1/companies?access=all', key), 'invalid_parameter');
  });

  it('requires the scope companies:read and no other scope', async () => {
    const { investor, company } = await fixtures.portfolio();
    const narrow = await fixtures.key(investor, { scopes: ['companies:read'] });
    const answer = await get('/v1/companies', narrow.key);
    expect(answer.body.data).toEqual([
      { id: company.id, object: 'company', name: company.name, access: 'none' },
    ]);
    const scopes = allScopes.filter((scope) => scope !== 'companies:read');
    const without = await fixtures.key(investor, { scopes });
    expectRefusal(await get('/v1/companies', without.key), 'insufficient_scope');
  });
});
