import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';
import { base, decide, type PendingRequest, requestsPath, soon } from './company.ts';

const amend = async ({ call }: TestService, { requestId, key }: PendingRequest, body: Json) =>
  expectOk(await call('PATCH', `/v1/access-requests/${requestId}`, { key, body }));

const read = async (
  { get }: TestService,
  { requestId, companyKey }: PendingRequest,
): Promise<Json> => (await get(`${requestsPath}/${requestId}`, companyKey)).body;

conformance('a company’s decision on an access request that has changed', (service) => {
  describe('the version of a request', () => {
    it('must be sent, and must be the newest, if the investor has changed the access request', async () => {
      const made = await service.fixtures.asking(['metrics:read']);
      const { version } = await read(service, made);
      await amend(service, made, { scopes: ['sources:read'], purpose: 'Sell to a competitor.' });
      for (const decision of [{}, { version }]) {
        expectRefusal(await decide(service, made, 'approve', decision), 'request_changed');
        expectRefusal(await decide(service, made, 'decline', decision), 'request_changed');
      }
    });

    it('changes with each change of the request, and is the same in all responses to the company', async () => {
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

    it('isn’t shown to the investor', async () => {
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
