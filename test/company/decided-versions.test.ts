import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { payloadOf } from '../support/receipt-chain.ts';
import type { TestService } from '../support/service.ts';
import { type Asking, base, decide, historyOf, requestsPath, soon, typesOf } from './company.ts';

const amend = async ({ call }: TestService, { requestId, key }: Asking, body: Json) =>
  expectOk(await call('PATCH', `/v1/access-requests/${requestId}`, { key, body }));

const read = async ({ get }: TestService, { requestId, companyKey }: Asking): Promise<Json> =>
  (await get(`${requestsPath}/${requestId}`, companyKey)).body;

const versionOf = async (service: TestService, made: Asking) => (await read(service, made)).version;

/** What the receipts of the request say, oldest first. */
async function receiptsOf({ get }: TestService, { requestId, companyKey }: Asking) {
  const { body } = await get(`${requestsPath}/${requestId}/receipts`, companyKey);
  return (body.data as { id: string; jws: string }[]).map(payloadOf);
}

const sell = { scopes: ['sources:read'], purpose: 'Sell to your competitors.' };

conformance('a decision of a company on what it has read', (given) => {
  it('is refused once the investor has changed the purpose, with and without the version', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    const version = await versionOf(service, made);
    await amend(service, made, sell);
    const before = await read(service, made);
    for (const decision of [{ scopes: ['metrics:read'], version }, { scopes: ['metrics:read'] }]) {
      expectRefusal(await decide(service, made, 'approve', decision), 'request_changed');
    }
    expectRefusal(await decide(service, made, 'decline'), 'request_changed');
    expectRefusal(await decide(service, made, 'decline', { version }), 'request_changed');
    expect(await read(service, made)).toEqual(before);
    for (const { actor, purpose } of await receiptsOf(service, made)) {
      if (actor.type === 'company_key') expect(purpose).not.toBe(sell.purpose);
    }
  });

  it('is made on the version that it names', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    await amend(service, made, sell);
    const seen = await read(service, made);
    const answer = await decide(service, made, 'approve', { version: seen.version });
    expect(answer.body).toMatchObject({ status: 'approved', purpose: sell.purpose });
    const extension = { version: answer.body.version, expires_at: soon(900) };
    expectOk(await decide(service, made, 'extend', extension));
  });

  it.each([
    ['no body', undefined],
    ['an empty one', {}],
    ['scopes that are null', { scopes: null }],
  ])('whose answer was lost never approves what was asked meanwhile: %s', async (_name, body) => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    const path = `${requestsPath}/${made.requestId}/approve`;
    const send = (more: object = {}) =>
      service.call('POST', path, {
        key: made.companyKey,
        ...((body !== undefined || Object.keys(more).length > 0) && { body: { ...body, ...more } }),
      });
    const version = await versionOf(service, made);
    expectOk(await send());
    await amend(service, made, { scopes: ['accounts:read'], purpose: 'More.' });
    const before = await read(service, made);
    expectRefusal(await send(), 'request_changed');
    const again = await send({ version });
    expectOk(again);
    expect(again.body).toMatchObject({
      approved_scopes: ['metrics:read'],
      pending_scopes: ['accounts:read'],
      version: before.version,
    });
    expect(await read(service, made)).toEqual(before);
  });

  it('is repeated by the same decision on the same version alone', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read', 'sources:read']);
    const version = await versionOf(service, made);
    const approval = { version, scopes: ['metrics:read'], expires_at: soon(30) };
    expectOk(await decide(service, made, 'approve', approval));
    await amend(service, made, { scopes: ['accounts:read'] });
    const before = await read(service, made);
    expectOk(await decide(service, made, 'approve', approval));
    expectOk(await decide(service, made, 'approve', { version }));
    for (const [action, body] of [
      ['approve', { ...approval, scopes: ['metrics:read', 'sources:read'] }],
      ['approve', { ...approval, expires_at: soon(31) }],
      ['approve', { ...approval, version: 'another' }],
      ['decline', { version }],
      ['extend', { version, expires_at: soon(60) }],
    ] as const) {
      expectRefusal(await decide(service, made, action, body), 'request_changed');
    }
    expect(await read(service, made)).toEqual(before);
  });

  it('declines what was read, and never the addition that came after it', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    await decide(service, made, 'approve');
    await amend(service, made, { scopes: ['sources:read'], purpose: 'A loan.' });
    const old = await versionOf(service, made);
    const refusal = { version: old, reason: 'Too much.' };
    expectOk(await decide(service, made, 'decline', refusal));
    await amend(service, made, { scopes: ['sources:read'], purpose: sell.purpose });
    const before = await read(service, made);
    expectRefusal(await decide(service, made, 'approve', { version: old }), 'request_changed');
    expectOk(await decide(service, made, 'decline', refusal));
    expectRefusal(
      await decide(service, made, 'decline', { ...refusal, reason: 'Other.' }),
      'request_changed',
    );
    expect(await read(service, made)).toEqual(before);
    expect(before.pending_purpose).toBe(sell.purpose);
  });

  it('extends what was read: an addition that came meanwhile is looked at first', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    await decide(service, made, 'approve', { expires_at: soon(10) });
    const version = await versionOf(service, made);
    await amend(service, made, sell);
    const extension = { version, expires_at: soon(20) };
    expectRefusal(await decide(service, made, 'extend', extension), 'request_changed');
    const present = await versionOf(service, made);
    const answer = await decide(service, made, 'extend', { ...extension, version: present });
    expect(answer.body).toMatchObject({
      expires_at: extension.expires_at,
      pending_scopes: sell.scopes,
    });
  });

  it('revokes whatever has been asked meanwhile', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    await decide(service, made, 'approve');
    await amend(service, made, sell);
    expect((await decide(service, made, 'revoke')).body).toMatchObject({ status: 'revoked' });
  });

  it('of two people at once is made once, and the other repeats it or is told', async () => {
    const service = given();
    const made = await service.fixtures.asking(['metrics:read']);
    await amend(service, made, sell);
    const version = await versionOf(service, made);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        decide(service, made, index % 2 === 0 ? 'approve' : 'decline', { version }),
      ),
    );
    const made200 = answers.filter(({ status }) => status === 200);
    expect(made200).toHaveLength(3);
    for (const answer of answers) {
      if (answer.status !== 200) expectRefusal(answer, 'request_changed');
    }
    expect(typesOf(await historyOf(service, made))).toHaveLength(3);
  });

  describe('the version', () => {
    it('is another one after each change, and is the same wherever the company reads it', async () => {
      const service = given();
      const made = await service.fixtures.asking(['metrics:read']);
      const versions = new Set<string>();
      const look = async () => {
        const { version } = await read(service, made);
        const { body: list } = await service.get(requestsPath, made.companyKey);
        const { body: feed } = await service.get(`${base}/events`, made.companyKey);
        expect(list.data[0].version).toBe(version);
        expect(feed.data.at(-1).data.access_request.version).toBe(version);
        versions.add(version);
        return version as string;
      };
      await look();
      await amend(service, made, { scopes: ['sources:read'] });
      const approval = await decide(service, made, 'approve', { version: await look() });
      expect(approval.body.version).toBe(await look());
      await amend(service, made, { scopes: ['accounts:read'] });
      const refusal = await decide(service, made, 'decline', { version: await look() });
      const extension = { version: refusal.body.version, expires_at: soon(900) };
      expectOk(await decide(service, made, 'extend', extension));
      await look();
      expectOk(await decide(service, made, 'revoke'));
      await look();
      expect(versions.size).toBe(6);
    });

    it('is none of the investor’s business: its own shapes stay as they are', async () => {
      const service = given();
      const made = await service.fixtures.asking();
      const path = '/v1/access-requests';
      const own = await service.get(`${path}/${made.requestId}`, made.key);
      expect(own.body).not.toHaveProperty('version');
      const { body: list } = await service.get(path, made.key);
      expect(list.data[0]).not.toHaveProperty('version');
      const { body: feed } = await service.get('/v1/events', made.key);
      expect(feed.data[0].data.access_request).not.toHaveProperty('version');
    });
  });
});
