import { expect, it } from 'vitest';
import type { Scope } from '#core';
import { allScopes, type gatedEndpoints, grantable } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { TestService } from '../support/service.ts';

/** What is the same for every endpoint that returns a company's data. */
export function gateCases(
  { path, scope }: (typeof gatedEndpoints)[number],
  given: () => TestService,
): void {
  it('refuses a key without the scope, naming the scope, although the company has granted it', async () => {
    const { get, fixtures } = given();
    const { company, investor } = await fixtures.readablePortfolio();
    const others: Scope[] = allScopes.filter((other) => other !== scope);
    const { key } = await fixtures.key(investor, { scopes: others });
    const answer = await get(path(company.id), key);
    expectRefusal(answer, 'insufficient_scope');
    expect(answer.body.error.message).toContain(scope);
  });

  it('refuses a member of the portfolio that has not asked: access_required', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    expectRefusal(await get(path(company.id), key), 'access_required');
  });

  it('refuses while the company has not answered: access_pending', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    await fixtures.request(key, company.id);
    expectRefusal(await get(path(company.id), key), 'access_pending');
  });

  it('refuses after the company has declined: access_required', async () => {
    const { get, fixtures, operator } = given();
    const { company, key } = await fixtures.portfolio();
    const { id } = await fixtures.request(key, company.id);
    await operator.declineAccessRequest({ id, reason: 'Not now.' });
    expectRefusal(await get(path(company.id), key), 'access_required');
  });

  it('refuses after the company has revoked: access_revoked', async () => {
    const { get, fixtures, operator } = given();
    const made = await fixtures.portfolio();
    const { id } = await fixtures.grant(made);
    await operator.revokeAccessRequest({ id });
    expectRefusal(await get(path(made.company.id), made.key), 'access_revoked');
  });

  it('refuses a scope that was requested but not approved: access_required', async () => {
    const { get, fixtures, operator } = given();
    const { company, key } = await fixtures.portfolio();
    const { id } = await fixtures.request(key, company.id);
    const others = grantable.filter((other) => other !== scope);
    await operator.approveAccessRequest({ id, scopes: others });
    expectRefusal(await get(path(company.id), key), 'access_required');
  });

  it('refuses a scope that was not requested: access_required', async () => {
    const { get, fixtures } = given();
    const made = await fixtures.portfolio();
    const others = grantable.filter((other) => other !== scope);
    await fixtures.grant(made, others);
    expectRefusal(await get(path(made.company.id), made.key), 'access_required');
  });

  it('lets through when this one scope alone was approved', async () => {
    const { get, fixtures } = given();
    const { investor, company, key } = await fixtures.readablePortfolio();
    expectOk(await get(path(company.id), key));
    const { key: narrow } = await fixtures.key(investor, { scopes: [scope as Scope] });
    expectOk(await get(path(company.id), narrow));
  });

  it('answers 404 for a company outside the portfolio, although another investor has its grant', async () => {
    const { get, fixtures } = given();
    const { company } = await fixtures.readablePortfolio();
    const { key } = await fixtures.portfolio();
    expectRefusal(await get(path(company.id), key), 'company_not_found');
  });

  it('does not let one investor read by the grant of another that shares the company', async () => {
    const { get, fixtures, operator } = given();
    const { company } = await fixtures.readablePortfolio();
    const other = await fixtures.portfolio();
    await operator.addToPortfolio({ investorId: other.investor.id, companyId: company.id });
    expectRefusal(await get(path(company.id), other.key), 'access_required');
  });

  it('answers 404 at once when the company leaves the portfolio, grant or not', async () => {
    const { get, fixtures, operator } = given();
    const { investor, company, key } = await fixtures.readablePortfolio();
    expectOk(await get(path(company.id), key));
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    expectRefusal(await get(path(company.id), key), 'company_not_found');
  });

  it('refuses without a key and with a wrong one', async () => {
    const { get, fixtures } = given();
    const { company } = await fixtures.readablePortfolio();
    expectRefusal(await get(path(company.id)), 'missing_api_key');
    const wrong = `svc_sk_live_${'0'.repeat(32)}`;
    expectRefusal(await get(path(company.id), wrong), 'invalid_api_key');
  });
}
