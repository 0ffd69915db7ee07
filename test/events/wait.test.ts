import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPortfolioAccessClient, isPortfolioAccessError } from '../../client/index.ts';
import { startService, type TestService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let service: TestService;
let proxy: TcpProxy;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  const { hostname: host, port } = new URL(service.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
});
afterEach(async () => {
  // Every wait must close its stream, whatever its result.
  await expect.poll(() => service.eventFeed.size).toBe(0);
});
afterAll(async () => {
  await proxy?.close();
  await service?.close();
});

const connect = (apiKey: string, fetch?: typeof globalThis.fetch) =>
  createPortfolioAccessClient({ url: `http://127.0.0.1:${proxy.port}`, apiKey, fetch });

const streamStands = () => expect.poll(() => service.eventFeed.size).toBe(1);

async function given() {
  const made = await service.fixtures.portfolio();
  const request = await service.fixtures.request(made.key, made.company.id);
  return { ...made, request, client: connect(made.key) };
}

const codeOf = async (waiting: Promise<unknown>) => {
  const error = await waiting.then(
    () => undefined,
    (error) => error,
  );
  return isPortfolioAccessError(error) ? error.data.code : error;
};

describe('waiting for the decision of a company', () => {
  it.each([
    ['approved', 'approves', (id: string) => service.operator.approveAccessRequest({ id })],
    [
      'declined',
      'declines',
      (id: string) => service.operator.declineAccessRequest({ id, reason: 'No.' }),
    ],
  ] as const)(
    'returns the access request as %s when the company %s',
    async (status, _does, decide) => {
      const { client, request } = await given();
      const waiting = client.wait(request);
      await streamStands();
      await decide(request.id);
      expect(await waiting).toMatchObject({ id: request.id, status });
    },
  );

  it('returns at once if the company has already decided', async () => {
    const { client, request } = await given();
    await service.operator.approveAccessRequest({ id: request.id });
    expect((await client.wait(request.id)).status).toBe('approved');
  });

  it('returns if the access request is withdrawn meanwhile', async () => {
    const { client, request } = await given();
    const waiting = client.wait(request.id);
    await streamStands();
    await client.accessRequests.withdraw.mutate({ id: request.id });
    expect((await waiting).status).toBe('expired');
  });

  it('continues while added scopes are pending, and ignores other access requests', async () => {
    const { client, request, investor, key } = await given();
    const { id } = request;
    await service.operator.approveAccessRequest({ id, scopes: ['metrics:read'] });
    await client.accessRequests.amend.mutate({ id, scopes: ['accounts:read'] });
    const waiting = client.wait(id);
    await streamStands();
    const other = await service.fixtures.companyOf(investor);
    const { id: otherId } = await service.fixtures.request(key, other.id);
    await service.operator.approveAccessRequest({ id: otherId });
    const { version } = (await service.operator.showAccessRequest({ id })).accessRequest;
    await service.operator.approveAccessRequest({ id, version, scopes: ['accounts:read'] });
    expect(await waiting).toMatchObject({
      id,
      approvedScopes: ['metrics:read', 'accounts:read'],
      pendingScopes: [],
    });
  });

  it('continues while wider terms are pending', async () => {
    const { client, key, company } = await given();
    const { id } = await service.fixtures.grant({ key, company });
    await service.operator.narrowAccessRequest({ id, terms: { metricKeys: ['arr'] } });
    await client.accessRequests.amend.mutate({ id, terms: { metricKeys: ['arr', 'mrr'] } });
    const waiting = client.wait(id);
    await streamStands();
    const { version } = (await service.operator.showAccessRequest({ id })).accessRequest;
    await service.operator.approveAccessRequest({ id, version });
    expect(await waiting).toMatchObject({
      approvedTerms: { metricKeys: ['arr', 'mrr'], historyFrom: null, use: 'ongoing' },
      pendingTerms: null,
    });
  });

  it('works without a stream if a proxy holds back the stream’s answer', async () => {
    const { key, request } = await given();
    const held = Promise.withResolvers<void>();
    const waiting = connect(key, (address, init) => {
      const isStream = new Headers(init?.headers).get('accept') === 'text/event-stream';
      if (!isStream) return fetch(address, init);
      held.resolve();
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    }).wait(request);
    await held.promise;
    await service.operator.approveAccessRequest({ id: request.id });
    expect((await waiting).status).toBe('approved');
  });

  it('continues after the connection was lost', async () => {
    const { client, request } = await given();
    const waiting = client.wait(request);
    await streamStands();
    proxy.cut();
    await service.operator.approveAccessRequest({ id: request.id });
    proxy.open();
    expect((await waiting).status).toBe('approved');
  });

  it('can be aborted with a reason, before or after the wait has begun', async () => {
    const { client, request } = await given();
    const leaving = new AbortController();
    const waiting = client.wait(request, { signal: leaving.signal });
    await streamStands();
    const reason = new Error('enough');
    leaving.abort(reason);
    expect(await codeOf(waiting)).toBe(reason);
    expect(await codeOf(client.wait(request, { signal: leaving.signal }))).toBe(reason);
  });

  it('ends with an error after its timeout', async () => {
    const { client, request } = await given();
    const error = await codeOf(client.wait(request, { timeout: 1 }));
    expect(error).toMatchObject({ name: 'TimeoutError' });
  });

  it('ends with an error if the access request is unknown or the key is revoked meanwhile', async () => {
    const { client, request, keyId } = await given();
    expect(await codeOf(client.wait('ar_none'))).toBe('access_request_not_found');
    const waiting = client.wait(request);
    await streamStands();
    await service.operator.revokeApiKey({ id: keyId });
    await service.eventFeed.checkKeys();
    expect(await codeOf(waiting)).toBe('invalid_api_key');
  });
});
