import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/access-requests';

conformance('GET /v1/access-requests', (given) => {
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
