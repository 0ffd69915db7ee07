import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  isTRPCClientError,
} from '@trpc/client';
import { afterEach, describe, expect, it } from 'vitest';
import { maxMetricKeys, maxPurposeLength } from '#core';
import {
  type AppRouter,
  createPortfolioAccessClient,
  isPortfolioAccessError,
  type PortfolioAccessClientOptions,
} from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { publicUrl, startService } from '../support/service.ts';

const environment = { RATE_LIMIT_POINTS: '100000' };
const service = await closedAfterAll(startService({ storage: { memory: true }, environment }));
const made = await service.fixtures.readablePortfolio();

interface Sent {
  readonly method: string | undefined;
  readonly url: URL;
  readonly status: number;
  readonly size: number;
}

/** Records the HTTP requests of a client. */
function connect(options: Partial<PortfolioAccessClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createPortfolioAccessClient({
    url: service.url,
    apiKey: made.key,
    async fetch(address, init) {
      const response = await fetch(address, init);
      const { method, body } = init ?? {};
      const size = Buffer.byteLength(typeof body === 'string' ? body : '');
      sent.push({ method, url: new URL(String(address)), status: response.status, size });
      return response;
    },
    ...options,
  });
  return { client, sent };
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('it was answered'),
    (error: unknown) => error,
  );
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await refusalOf(call);
  if (!isPortfolioAccessError(error)) throw error;
  return error.data.code;
}

describe('the client', () => {
  it('reads all data of a company and the access requests', async () => {
    const { client } = connect();
    const companyId = made.company.id;
    const [companies, company, metrics, metric, history, sources, accounts, requests] =
      await Promise.all([
        client.companies.list.query(),
        client.companies.get.query({ companyId }),
        client.metrics.latest.query({ companyId, keys: ['cash_balance'] }),
        client.metrics.byKey.query({ companyId, key: 'cash_balance' }),
        client.metrics.history.query({ companyId, key: 'cash_balance', from: '2026-09-30' }),
        client.sources.list.query({ companyId }),
        client.accounts.list.query({ companyId }),
        client.accessRequests.list.query({ status: 'approved' }),
      ]);
    expect(companies).toEqual([company]);
    expect(metrics).toEqual([metric]);
    expect(metric.rawValue).toBe('990000.25');
    expect(metric.asOf).toBe('2026-10-31T23:59:59.000Z');
    expect(history.map(({ period }) => period)).toEqual(['2026-09-30', '2026-10-31']);
    expect(sources).toHaveLength(2);
    expect(accounts).toHaveLength(2);
    const [request] = requests.items;
    expect(await client.accessRequests.get.query({ id: request?.id ?? '' })).toEqual(request);
  });

  it.each(['', '/', '//', '?x=1', '#x', '/?x=1#x'])(
    'finds the service if its address ends with %j',
    async (end) => {
      const { client, sent } = connect({ url: `${service.url}${end}` });
      await client.companies.list.query();
      expect(sent[0]?.url.pathname).toBe('/trpc/companies.list');
      const { client: byUrl } = connect({ url: new URL(`${service.url}${end}`) });
      await byUrl.companies.list.query();
    },
  );

  it('finds the service below a path', async () => {
    const { client, sent } = connect({
      url: 'https://host.example/portfolio/',
      fetch: async (address) => {
        sent.push({ method: '', url: new URL(String(address)), status: 0, size: 0 });
        return Response.json([{ result: { data: [] } }]);
      },
    });
    await client.companies.list.query();
    expect(sent[0]?.url.href).toBe('https://host.example/portfolio/trpc/companies.list?batch=1');
  });

  it('refuses an invalid address', () => {
    expect(() => connect({ url: 'nonsense' })).toThrow(TypeError);
  });

  it('uses the fetch of its runtime', async () => {
    const client = createPortfolioAccessClient({ url: service.url, apiKey: made.key });
    expect(await client.companies.list.query()).toHaveLength(1);
  });
});

describe('batches', () => {
  it('contain the calls of one turn of the event loop, by default up to the service’s limit', async () => {
    const { client, sent } = connect();
    const maxBatch = 20;
    await Promise.all(
      Array.from({ length: 2 * maxBatch + 1 }, () => client.companies.list.query()),
    );
    const counts = sent.map(({ url }) => url.pathname.split(',').length);
    expect(counts).toEqual([maxBatch, maxBatch, 1]);
  });

  it('contain at most the configured number of calls', async () => {
    const { client, sent } = connect({ maxBatch: 2 });
    await Promise.all(Array.from({ length: 3 }, () => client.companies.list.query()));
    expect(sent).toHaveLength(2);
    const { client: single, sent: each } = connect({ maxBatch: 1 });
    await Promise.all(Array.from({ length: 3 }, () => single.companies.list.query()));
    expect(each).toHaveLength(3);
  });

  it('send inputs in the body, so that no URL is too long', async () => {
    const { client, sent } = connect();
    const companyId = made.company.id;
    const keys = Array.from({ length: maxMetricKeys }, (_, index) => `${'k'.repeat(60)}_${index}`);
    const metrics = await client.metrics.latest.query({
      companyId,
      keys: [...keys.slice(1), 'headcount'],
    });
    expect(metrics).toHaveLength(1);
    for (const { method, url } of sent) {
      expect(method).toBe('POST');
      expect(url.href.length).toBeLessThan(1000);
      expect(url.href).not.toContain('kkk');
    }
  });

  it('are split at the service’s limit for the body if their inputs are long', async () => {
    const { client, sent } = connect();
    const companyId = made.company.id;
    const keys = Array.from({ length: maxMetricKeys }, (_, index) => `${'k'.repeat(60)}_${index}`);
    await Promise.all(
      Array.from({ length: 20 }, () => client.metrics.latest.query({ companyId, keys })),
    );
    expect(sent).toHaveLength(20);

    // The longest purpose with which twenty calls still fit into one batch. Each character has three bytes.
    const purpose = '資'.repeat(maxPurposeLength - 80);
    const { client: asking, sent: asked } = connect();
    const codes = await Promise.all(
      Array.from({ length: 20 }, () =>
        codeOf(
          asking.accessRequests.create.mutate({
            companyId: 'co_none',
            scopes: ['metrics:read'],
            purpose,
          }),
        ),
      ),
    );
    expect(new Set(codes)).toEqual(new Set(['company_not_found']));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.size).toBeGreaterThan(55_000);
  });
});

describe('an error that the client throws', () => {
  it('contains the data of a refusal', async () => {
    const { client } = connect();
    const error = await refusalOf(client.sources.list.query({ companyId: 'co_none' }));
    if (!isPortfolioAccessError(error)) throw error;
    expect(error.data).toEqual({
      type: 'not_found_error',
      code: 'company_not_found',
      requestId: expect.stringMatching(/^req_/),
      documentationUrl: `${publicUrl}/docs/errors#company_not_found`,
    });
    expect(error.message).toBe('The company isn’t in the portfolio of this API key.');
    expect(error).toBeInstanceOf(Error);
  });

  it('contains the data of a refusal even if the whole batch was refused', async () => {
    const wrong = connect({ apiKey: `svc_sk_live_${'0'.repeat(32)}` }).client;
    const both = [wrong.companies.list.query(), wrong.accessRequests.list.query()];
    expect(await Promise.all(both.map(codeOf))).toEqual(['invalid_api_key', 'invalid_api_key']);

    const { key } = await service.fixtures.portfolio({ rateLimit: 1 });
    // With retries, the client would wait for the next window, as it should.
    const limited = connect({ apiKey: key, retries: 0 }).client;
    const three = Array.from({ length: 3 }, () => codeOf(limited.companies.list.query()));
    expect(await Promise.all(three)).toEqual(Array(3).fill('rate_limit_exceeded'));

    const large = connect({ maxBatch: 30 }).client;
    const many = Array.from({ length: 21 }, () => codeOf(large.companies.list.query()));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['batch_too_large']));
  });

  it('counts as an error of the service only if the service itself returned it', async () => {
    const unreachable = connect({ url: 'http://127.0.0.1:1' }).client;
    expect(isPortfolioAccessError(await refusalOf(unreachable.companies.list.query()))).toBe(false);
    for (const response of [
      () => new Response('<html>Bad gateway</html>', { status: 502 }),
      () => Response.json({ error: { code: 'route_not_found' } }, { status: 404 }),
      () => Response.json(null),
      () => Response.json([]),
      () => Response.json([{ error: { code: -32603, message: 'of another server' } }]),
    ]) {
      const { client } = connect({ fetch: async () => response() });
      expect(isPortfolioAccessError(await refusalOf(client.companies.list.query()))).toBe(false);
    }
    for (const other of [null, undefined, 'text', new Error('x'), { data: { code: 'x' } }])
      expect(isPortfolioAccessError(other)).toBe(false);
  });
});

describe('a server that fails', () => {
  const servers: http.Server[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });

  async function listen(handle: http.RequestListener): Promise<string> {
    const server = http.createServer(handle);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([301, 302, 303, 307, 308])(
    'causes an error if it redirects with the status %i, and the redirect isn’t followed',
    async (status) => {
      const reached: http.IncomingHttpHeaders[] = [];
      const elsewhere = await listen((request, response) => {
        reached.push(request.headers);
        response.end('[{"result":{"data":[]}}]');
      });
      const location = { location: `${elsewhere}/trpc/companies.list?batch=1` };
      const url = await listen((_request, response) => response.writeHead(status, location).end());
      const error = await refusalOf(connect({ url }).client.companies.list.query());
      expect(isPortfolioAccessError(error)).toBe(false);
      expect((error as Error).message).toContain('redirect');
      expect(reached).toEqual([]);
    },
  );

  it.each(['127.0.0.1', 'localhost'])(
    'causes an error with its address and the reason if it refuses connections: %s',
    async (host) => {
      const server = http.createServer();
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as AddressInfo;
      await new Promise((closed) => server.close(closed));
      const origin = `http://${host}:${port}`;
      const error = await refusalOf(
        connect({ url: `${origin}/base/` }).client.companies.list.query(),
      );
      expect(isPortfolioAccessError(error)).toBe(false);
      expect((error as Error).message).toMatch(
        new RegExp(`^cannot reach ${origin}: (connect )?ECONNREFUSED`),
      );
    },
  );

  it('causes an error with its address if its name can’t be resolved', async () => {
    const url = 'https://nowhere.invalid';
    const error = await refusalOf(connect({ url }).client.companies.list.query());
    expect((error as Error).message).toMatch(
      /^cannot reach https:\/\/nowhere\.invalid: getaddrinfo /,
    );
  });

  it('causes an error with its address if a custom fetch fails', async () => {
    const options = {
      url: 'https://access.example',
      fetch: () => Promise.reject(new Error('no way')),
    };
    const error = await refusalOf(connect(options).client.companies.list.query());
    expect((error as Error).message).toBe('cannot reach https://access.example: no way');
  });

  it('is given up after the timeout', async () => {
    const url = await listen(() => undefined);
    const { client } = connect({ url, timeout: 50 });
    const error = await refusalOf(client.companies.list.query());
    expect(isPortfolioAccessError(error)).toBe(false);
    expect((error as Error).cause).toMatchObject({ name: 'TimeoutError' });
  });

  it('is given up when the caller aborts', async () => {
    const arrived = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const url = await listen((request) => {
      arrived.resolve();
      request.on('close', left.resolve);
    });
    const abort = new AbortController();
    const call = connect({ url }).client.companies.list.query({}, { signal: abort.signal });
    const refused = refusalOf(call);
    await arrived.promise;
    abort.abort();
    expect(await refused).toMatchObject({ name: 'AbortError' });
    await left.promise;
  });

  it('still returns the results of a batch’s other calls if one call is aborted', async () => {
    const hold = Promise.withResolvers<void>();
    const url = await listen(async (_request, response) => {
      await hold.promise;
      response.setHeader('content-type', 'application/json');
      response.end('[{"result":{"data":[]}},{"result":{"data":[]}}]');
    });
    const { client } = connect({ url });
    const abort = new AbortController();
    const given = refusalOf(client.companies.list.query({}, { signal: abort.signal }));
    const kept = client.companies.list.query();
    abort.abort();
    expect(isPortfolioAccessError(await given)).toBe(false);
    hold.resolve();
    expect(await kept).toEqual([]);
    const late = client.companies.list.query({}, { signal: abort.signal });
    expect(await refusalOf(late)).toMatchObject({ cause: { name: 'AbortError' } });
  });
});

it.each([0, -1, 1.5, Number.NaN])('a batch limit of %s is refused', (maxBatch) => {
  const options = { url: 'http://localhost', apiKey: 'k', maxBatch };
  expect(() => createPortfolioAccessClient(options)).toThrow(TypeError);
});

describe('the key', () => {
  it('is only in the Authorization header, never in an address, a body or a printed object', async () => {
    const seen: { url: string; headers: Headers; body: unknown }[] = [];
    const { client } = connect({
      async fetch(address, init) {
        const { headers, body } = init ?? {};
        seen.push({ url: String(address), headers: new Headers(headers), body });
        return fetch(address, init);
      },
    });
    const error = await refusalOf(client.sources.list.query({ companyId: 'co_none' }));
    const unreachable = connect({ url: 'http://127.0.0.1:1' }).client;
    const lost = await refusalOf(unreachable.companies.list.query());
    const shown = [client, error, lost].map((thing) =>
      inspect(thing, { depth: Infinity, showHidden: true }),
    );
    expect(shown.join()).not.toContain(made.key);
    expect(JSON.stringify([error, lost])).not.toContain(made.key);

    expect(seen).toHaveLength(1);
    const [{ url, headers, body } = expect.unreachable()] = seen;
    expect(headers.get('authorization')).toBe(`Bearer ${made.key}`);
    headers.delete('authorization');
    expect([url, body, ...headers].join()).not.toContain(made.key);
  });

  it.each(['svc_sk_live_a\nb', 'svc_sk_live_a ', 'svc_sk_live_ä', ' ', 'a b', 'Bearer a'])(
    'is refused if it is malformed, and the error doesn’t contain it: %j',
    (apiKey) => {
      let message = '';
      try {
        connect({ apiKey });
      } catch (error) {
        message = inspect(error);
      }
      expect(message).toContain('apiKey must be the key alone');
      expect(message).not.toContain('svc_sk');
    },
  );
});

describe('a key from a function', () => {
  it('is fetched once, and only once more for all calls if the service refuses it', async () => {
    const { key, keyId } = await service.fixtures.portfolio();
    const keys = ['svc_sk_live_ended', key];
    let asked = 0;
    const { client, sent } = connect({ apiKey: async () => keys[asked++] ?? 'svc_sk_live_other' });
    const [mine] = await Promise.all([
      client.apiKey.get.query(),
      client.companies.list.query(),
      client.accessRequests.list.query({ purpose: 'x'.repeat(2_000) } as never).catch(() => null),
    ]);
    expect(mine.id).toBe(keyId);
    await client.companies.list.query();
    expect(asked).toBe(2);
    expect(sent.map(({ status }) => status).filter((status) => status === 401)).toHaveLength(2);
  });

  it.each([
    [
      'is refused if the function returns the refused key again',
      () => 'svc_sk_live_ended',
      'invalid_api_key',
    ],
    ['is refused if it is empty', () => '', 'apiKey is empty'],
    ['is refused if it is undefined', () => undefined as never, 'apiKey is empty'],
    [
      'is reported with the reason if the function fails',
      () => Promise.reject(new Error('no token')),
      'no token',
    ],
  ])('%s', async (_what, apiKey, words) => {
    const error = await refusalOf(connect({ apiKey }).client.companies.list.query());
    expect(inspect(error)).toContain(words);
  });
});

it.each(['/v1', '/trpc/', '/graphql', '/company/v1'])(
  'the client refuses an address that ends with %s',
  (path) => {
    const options = { url: `https://access.example${path}`, apiKey: 'k' };
    expect(() => createPortfolioAccessClient(options)).toThrow('base address');
  },
);

it.each(['', undefined as never])('the client refuses an empty key: %j', (apiKey) => {
  expect(() => createPortfolioAccessClient({ url: 'http://a', apiKey })).toThrow('is empty');
});

it('the client gives up after the timeout if its key function never returns', async () => {
  const { client } = connect({ apiKey: () => new Promise<never>(() => {}), timeout: 50 });
  const error = await refusalOf(client.companies.list.query());
  expect((error as Error).cause).toMatchObject({ name: 'TimeoutError' });
});

describe('clients with the links from tRPC’s own library', () => {
  it('can read the error for a URL that is too long', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: `${service.url}/trpc`,
          headers: { authorization: `Bearer ${made.key}` },
        }),
      ],
    });
    const companyId = `co_${'x'.repeat(20_000)}`;
    const error = await refusalOf(client.sources.list.query({ companyId }));
    expect(error).toMatchObject({
      message: 'The headers of the request are too large.',
      data: { code: 'invalid_parameter', requestId: expect.stringMatching(/^req_/) },
    });
  });

  it('get the type of the error codes from the router', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url: `${service.url}/trpc`,
          headers: { authorization: `Bearer ${made.key}` },
        }),
      ],
    });
    const error = await refusalOf(client.sources.list.query({ companyId: 'co_none' }));
    if (!isTRPCClientError<AppRouter>(error)) throw error;
    expect(error.data?.code === 'company_not_found').toBe(true);
    // A later version of the service may return codes that this version doesn't know.
    expect(error.data?.code === 'a_code_of_tomorrow').toBe(false);
  });

  it('report a refused key to each call in a stream', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [
        httpBatchStreamLink({
          url: `${service.url}/trpc`,
          headers: { authorization: 'Bearer nonsense' },
        }),
      ],
    });
    const codes = await Promise.all([
      codeOf(client.companies.list.query()),
      codeOf(client.companies.list.query()),
    ]);
    expect(codes).toEqual(['invalid_api_key', 'invalid_api_key']);
  });
});
