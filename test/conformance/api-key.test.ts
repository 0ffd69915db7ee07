import { expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const path = '/v1/api-key';
const rotatePath = `${path}/rotate`;
const week = 604_800;

conformance('GET /v1/api-key', (service) => {
  const { get, fixtures, operator } = service;

  it('returns each field of the key that sends the call, but not its secret', async () => {
    const investor = await fixtures.investor('test');
    const expiresAt = new Date(Date.now() + 86_400_000);
    const scopes = ['metrics:read', 'webhooks:manage'] as const;
    const { key, secret } = await operator.createApiKey({
      investorId: investor.id,
      scopes,
      name: 'Nightly report',
      expiresAt,
      rateLimit: 42,
    });
    const answer = await get(path, secret);
    expectOk(answer);
    expect(answer.body).toEqual({
      id: key.id,
      object: 'api_key',
      name: 'Nightly report',
      hint: `svc_sk_test_…${secret.slice(-4)}`,
      environment: 'test',
      scopes: [...scopes],
      rate_limit: 42,
      created_at: key.createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
      last_used_at: null,
      investor: { id: investor.id, name: investor.name },
    });
    expect(answer.text).not.toContain(secret);
  });

  it('returns the default rate limit for a key without one, and null for a key without an end', async () => {
    const { key } = await fixtures.portfolio({ scopes: ['companies:read'] });
    const { body, headers } = await get(path, key);
    expect(body).toMatchObject({ name: null, expires_at: null });
    expect(String(body.rate_limit)).toBe(headers['ratelimit-limit']);
  });
});

conformance('POST /v1/api-key/rotate', (service) => {
  const { get, post, fixtures, call } = service;

  it('returns a new key with the same name, scopes, limit and end, and the old key still works', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const options = { scopes: ['sources:read'] as const, expiresAt, rateLimit: 50 };
    const { key } = await fixtures.portfolio(options);
    const before = (await get(path, key)).body;
    const answer = await post(rotatePath, key, {});
    expect(answer.status).toBe(201);
    const { secret, ...rotated } = answer.body;
    expect(secret).toMatch(/^svc_sk_live_[0-9A-Za-z]{32}$/);
    expect(rotated).toEqual({
      ...before,
      id: expect.stringMatching(/^key_/),
      hint: `svc_sk_live_…${secret.slice(-4)}`,
      created_at: rotated.created_at,
    });
    expect(rotated.id).not.toBe(before.id);
    expect((await get(path, secret)).body).toEqual(rotated);
    // The overlap exceeds the old key's remaining time, so the end of the old key stays the same.
    expect((await get(path, key)).body).toMatchObject({
      id: before.id,
      expires_at: before.expires_at,
    });
  });

  it.each([
    ['a day by default', undefined, 86_400],
    ['a week at most', { overlap_seconds: week }, week],
  ])('keeps the old key valid for %s', async (_name, body, seconds) => {
    const { key } = await fixtures.portfolio();
    const before = Date.now();
    const answer = await call('POST', rotatePath, { key, ...(body && { body }) });
    expect(answer.status).toBe(201);
    const { expires_at } = (await get(path, key)).body;
    expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + seconds * 1000);
    expect(answer.body.expires_at).toBeNull();
  });

  it('ends the old key at once if the overlap is zero', async () => {
    const { key } = await fixtures.portfolio();
    const { body } = await post(rotatePath, key, { overlap_seconds: 0 });
    expectRefusal(await get(path, key), 'invalid_api_key');
    expectOk(await get(path, body.secret));
  });

  it.each([-1, week + 1, 1.5, '60', true, [60]])(
    'refuses an overlap of %j and changes nothing',
    async (overlap_seconds) => {
      const { key } = await fixtures.portfolio();
      const answer = await post(rotatePath, key, { overlap_seconds });
      expectRefusal(answer, 'invalid_parameter');
      expect(answer.body.error).toMatchObject({
        param: 'overlap_seconds',
        allowed: { minimum: 0, maximum: week },
      });
      expect((await get(path, key)).body.expires_at).toBeNull();
    },
  );
});
