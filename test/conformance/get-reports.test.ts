import { it } from 'vitest';
import { allScopes } from '../support/contract.ts';
import { expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

conformance('GET /v1/reports', (given) => {
  it('is refused to a key without reports:read', async () => {
    const { get, fixtures } = given();
    const scopes = allScopes.filter((scope) => scope !== 'reports:read');
    const { key } = await fixtures.portfolio({ scopes });
    expectRefusal(await get('/v1/reports', key), 'insufficient_scope');
  });

  it('is announced but not there yet for a key with the scope', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio({ scopes: ['reports:read'] });
    expectRefusal(await get('/v1/reports', key), 'not_implemented');
  });

  it('is refused without a key', async () => {
    expectRefusal(await given().get('/v1/reports'), 'missing_api_key');
  });
});
