import { expect, it } from 'vitest';
import { allScopes } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

interface CompanyBody {
  readonly id: string;
  readonly access: string;
}

conformance('GET /v1/companies', (given) => {
  it('refuses an access that there is not', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio();
    expectRefusal(await get('/v1/companies?access=all', key), 'invalid_parameter');
  });

  it('needs companies:read and nothing else', async () => {
    const { get, fixtures } = given();
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

  it('shows the access of each company, and the grant only while it is approved', async () => {
    const { get, fixtures, operator } = given();
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor);
    const company = (name: string) => fixtures.companyOf(investor, name);

    const untouched = await company('Untouched');
    const pending = await company('Pending');
    await fixtures.request(key, pending.id);
    const approved = await company('Approved');
    const request = await fixtures.request(key, approved.id, ['metrics:read', 'sources:read']);
    await operator.approveAccessRequest({
      id: request.id,
      scopes: ['sources:read'],
      expiresAt: new Date('2099-01-02T03:04:05.678Z'),
    });
    const declined = await company('Declined');
    await operator.declineAccessRequest({ id: (await fixtures.request(key, declined.id)).id });
    const revoked = await company('Revoked');
    await operator.revokeAccessRequest({
      id: (await fixtures.grant({ key, company: revoked })).id,
    });

    const { body } = await get('/v1/companies', key);
    const byId = new Map(body.data.map((found: CompanyBody) => [found.id, found]));
    const shown = (of: { id: string; name: string }, access: string) => ({
      id: of.id,
      object: 'company',
      name: of.name,
      access,
    });
    expect(byId.get(untouched.id)).toEqual(shown(untouched, 'none'));
    expect(byId.get(pending.id)).toEqual(shown(pending, 'pending'));
    expect(byId.get(approved.id)).toEqual({
      ...shown(approved, 'approved'),
      approved_scopes: ['sources:read'],
      access_expires_at: '2099-01-02T03:04:05.678Z',
    });
    expect(byId.get(declined.id)).toEqual(shown(declined, 'none'));
    expect(byId.get(revoked.id)).toEqual(shown(revoked, 'revoked'));
  });
});

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
});
