import { expect, it } from 'vitest';
import { allScopes } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

interface CompanyBody {
  readonly id: string;
  readonly access: string;
}

conformance('GET /v1/companies', (given) => {
  it('lists the companies of the portfolio and no other', async () => {
    const { get, fixtures } = given();
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor);
    const mine = [await fixtures.companyOf(investor), await fixtures.companyOf(investor)];
    await fixtures.company();
    await fixtures.portfolio();
    const answer = await get('/v1/companies', key);
    expectOk(answer);
    const ids = answer.body.data.map(({ id }: CompanyBody) => id);
    expect(ids.sort()).toEqual(mine.map(({ id }) => id).sort());
  });

  it('is empty for an empty portfolio', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.key(await fixtures.investor());
    expect((await get('/v1/companies', key)).body.data).toEqual([]);
  });

  it('lists only those with the access that is asked for', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const idsOf = async (access: string) =>
      (await get(`/v1/companies?access=${access}`, key)).body.data.map(({ id }: CompanyBody) => id);
    expect(await idsOf('none')).toEqual([company.id]);
    expect(await idsOf('approved')).toEqual([]);
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

  it('shows each investor its own access to a company that both have', async () => {
    const { get, fixtures, operator } = given();
    const first = await fixtures.portfolio();
    const second = await fixtures.portfolio();
    await operator.addToPortfolio({
      investorId: second.investor.id,
      companyId: first.company.id,
    });
    await fixtures.grant(first);
    const { body } = await get('/v1/companies', second.key);
    const shared = body.data.find(({ id }: CompanyBody) => id === first.company.id);
    expect(shared.access).toBe('none');
  });

  it('no longer lists a company that has left the portfolio', async () => {
    const { get, fixtures, operator } = given();
    const made = await fixtures.portfolio();
    await fixtures.grant(made);
    await operator.removeFromPortfolio({
      investorId: made.investor.id,
      companyId: made.company.id,
    });
    expect((await get('/v1/companies', made.key)).body.data).toEqual([]);
  });

  it('shows a test key only the sandbox', async () => {
    const { get, fixtures } = given();
    const sandbox = await fixtures.portfolio({ environment: 'test' });
    await fixtures.portfolio({ environment: 'live' });
    const { body } = await get('/v1/companies', sandbox.key);
    expect(body.data.map(({ id }: CompanyBody) => id)).toEqual([sandbox.company.id]);
  });
});
