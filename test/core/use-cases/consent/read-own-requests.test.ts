import { expect, test } from 'vitest';
import { aNewcomer, expectRefusal } from '../../world.ts';

test('an investor’s contacts see the investor’s access requests, with names only for companies in the portfolio', async () => {
  const { world, investor, company, companyId, key } = await aNewcomer();
  const person = await world.admitInvestorContact(investor.id);
  const other = await world.companyOf(investor);
  await world.request(key, companyId);
  world.clock.advance(1);
  await world.request(key, other.id);
  await world.operator.removeFromPortfolio({ investorId: investor.id, companyId: other.id });
  const { items } = await world.callers.listOwnRequests(person);
  expect(items.map((item) => item.company)).toEqual([null, { id: companyId, name: company.name }]);
});

test('an investor’s contacts see an access request’s history and the colleague who made the request', async () => {
  const { world, investor, companyId } = await aNewcomer();
  const person = await world.admitInvestorContact(investor.id);
  const asked = { companyId, scopes: ['metrics:read' as const] };
  const { accessRequest } = await world.callers.requestAccess(person, asked);
  const { id } = accessRequest;
  await world.operator.approveAccessRequest({ id });
  const { history, people, company } = await world.callers.readOwnRequest(person, { id });
  expect(history.map(({ type, actor }) => [type, actor.type])).toEqual([
    ['access_request.created', 'contact'],
    ['access_request.approved', 'operator'],
  ]);
  expect(people.get(history[0]?.actor.id ?? '')).toBe(person.email);
  expect(company).toMatchObject({ id: companyId });
  const stranger = await world.newcomer();
  const strange = await world.admitInvestorContact(stranger.investor.id, 'a@other.example');
  await expectRefusal(world.callers.readOwnRequest(strange, { id }), 'access_request_not_found');
});
