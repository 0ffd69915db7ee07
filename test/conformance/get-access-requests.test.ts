import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';

conformance('GET /v1/access-requests', (given) => {
  it('is empty before anything was asked', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio();
    const answer = await get(path, key);
    expectOk(answer);
    expect(answer.body.data).toEqual([]);
  });

  it('returns all of them, however many, at a point for each started two hundred', async () => {
    const { get, call, fixtures } = given();
    const { key, ids } = await fixtures.manyRequests(401);
    const answer = await get(path, key);
    expectOk(answer);
    expect(answer.body.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(new Set(ids)).toHaveProperty('size', 401);
    expect(answer.text.endsWith(`],"has_more":false,"url":"${path}","next_cursor":null}`)).toBe(
      true,
    );
    const one = await call('GET', `${path}/${ids[0]}`, { key });
    expect(answer.body.data[0]).toEqual(one.body);
    const [before, after] = [answer, one].map(({ headers }) => headers['ratelimit-remaining']);
    expect(Number(before) - Number(after)).toBe(2 + 1);
  });

  it('filters by each status', async () => {
    const { get, fixtures, operator } = given();
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor);
    const ask = async () => fixtures.request(key, (await fixtures.companyOf(investor)).id);
    const pending = await ask();
    const approved = await ask();
    await operator.approveAccessRequest({ id: approved.id });
    const declined = await ask();
    await operator.declineAccessRequest({ id: declined.id });
    const revoked = await ask();
    await operator.approveAccessRequest({ id: revoked.id });
    await operator.revokeAccessRequest({ id: revoked.id });

    const idsOf = async (status: string) => {
      const answer = await get(`${path}?status=${status}`, key);
      expectOk(answer);
      return answer.body.data.map((request: { id: string; status: string }) => {
        expect(request.status).toBe(status);
        return request.id;
      });
    };
    expect(await idsOf('pending')).toEqual([pending.id]);
    expect(await idsOf('approved')).toEqual([approved.id]);
    expect(await idsOf('declined')).toEqual([declined.id]);
    expect(await idsOf('revoked')).toEqual([revoked.id]);
    expect(await idsOf('expired')).toEqual([]);
    expect((await get(path, key)).body.data).toHaveLength(4);
  });

  it.each([
    'status=unknown',
    'status=PENDING',
    'status=',
    'status',
    'status=pending&status=approved',
    'status=pending,approved',
    'status=__proto__',
    'status=pending%00',
  ])('refuses ?%s, naming the parameter', async (query) => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio();
    const answer = await get(`${path}?${query}`, key);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain('status');
  });

  it('needs no particular scope, but a key', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio({ scopes: ['sources:read'] });
    expectOk(await get(path, key));
    expectRefusal(await get(path), 'missing_api_key');
    expectRefusal(await get(`${path}?status=unknown`), 'missing_api_key');
  });
});
