import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium, openChromium } from '../desk/chromium.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openStream } from '../support/event-stream.ts';
import { type Answer, createHttpClient } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

const dashboard = 'https://dashboard.example';
const stranger = 'https://stranger.example';

const environment = { CORS_ORIGINS: `${dashboard},http://127.0.0.1:5173` };
const service = await closedAfterAll(startService({ storage: { memory: true }, environment }));
const client = await closedAfterAll(createHttpClient(service.url));

const preflight = (path: string, origin: string, method = 'GET') =>
  client.call('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

const corsHeaders = ({ headers }: Answer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

/** A page may call these endpoints. All except the last two need a key. */
const places = [
  ['GET', '/v1/companies'],
  ['POST', '/v1/access-requests'],
  ['PATCH', '/v1/access-requests/ar_1'],
  ['DELETE', '/v1/access-requests/ar_1'],
  ['GET', '/v1/nothing'],
  ['GET', '/company/v1/access-requests'],
  ['POST', '/graphql'],
  ['GET', '/trpc/companies.list'],
  ['POST', '/trpc/accessRequests.create'],
  ['GET', '/v1/openapi.json'],
  ['GET', '/docs/errors'],
] as const;

describe.each(places)('a page of a configured origin: %s %s', (method, path) => {
  it('may send an API key, because the preflight needs no authentication and costs no points', async () => {
    const answer = await preflight(path, dashboard, method);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': dashboard,
      'access-control-allow-headers': 'authorization,content-type,idempotency-key',
      'access-control-max-age': '7200',
    });
    expect(answer.headers['access-control-allow-methods']).toContain(method);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers.vary).toMatch(/\bOrigin\b/);
    expect(answer.headers['ratelimit-remaining']).toBe(answer.headers['ratelimit-limit']);
  });

  it('can read an error response like any other response', async () => {
    const answer = await client.call(method, path, { headers: { origin: dashboard } });
    expect(answer.headers['access-control-allow-origin']).toBe(dashboard);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers['access-control-expose-headers']).toContain('Svc-Request-Id');
    expect(answer.headers.vary).toMatch(/\bOrigin\b/);
  });

  it('gets CORS headers, but a page of another origin gets none', async () => {
    for (const origin of [
      stranger,
      'null',
      `${dashboard}.evil.example`,
      'http://dashboard.example',
    ])
      expect(corsHeaders(await preflight(path, origin, method)), origin).toEqual([]);
    const answer = await client.call(method, path, { headers: { origin: stranger } });
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.headers.vary).toMatch(/\bOrigin\b/);
  });
});

it('each response lists all its Vary values, with or without an Origin header', async () => {
  const { company, key } = await service.fixtures.readablePortfolio();
  const varied = async (path: string, headers = {}) =>
    (await client.call('GET', path, { key, headers })).headers.vary;
  const metrics = `/v1/companies/${company.id}/metrics`;
  expect(await varied(metrics)).toBe('Origin, Accept-Encoding');
  expect(await varied(`${metrics}/cash_balance/history`, { origin: dashboard })).toBe(
    'Origin, Accept, Accept-Encoding',
  );
  const input = encodeURIComponent(JSON.stringify({ companyId: company.id }));
  expect(await varied(`/trpc/metrics.latest?input=${input}`)).toBe('Origin, Accept-Encoding');
  const streamed = `/trpc/metrics.latest?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { companyId: company.id } }))}`;
  const trpcStream = { accept: 'application/jsonl', 'trpc-accept': 'application/jsonl' };
  expect(await varied(streamed, trpcStream)).toMatch(/^trpc-accept, .*\bOrigin$/);
});

it('a page of a configured origin can read a stream of events', async () => {
  const { key } = await service.fixtures.portfolio();
  const stream = await openStream(`${service.url}/v1/events`, {
    key,
    headers: { origin: dashboard },
  });
  expect(stream.response.headers['access-control-allow-origin']).toBe(dashboard);
  stream.leave();
  await stream.ended;
});

it('the desk sends no CORS headers, even to a configured origin, because its session is in a cookie', async () => {
  for (const path of ['/desk', '/desk/sign-in', '/desk/assets/desk.css']) {
    expect(corsHeaders(await preflight(path, dashboard)), path).toEqual([]);
    const answer = await fetch(service.url + path, { headers: { origin: dashboard } });
    expect(answer.headers.has('access-control-allow-origin'), path).toBe(false);
  }
});

it('an OPTIONS request that isn’t a preflight returns the methods of the path', async () => {
  const answer = await client.call('OPTIONS', '/v1/companies', { headers: { origin: dashboard } });
  expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
});

it('no response has CORS headers if no origins are configured', async () => {
  const silent = await startService({ storage: { memory: true } });
  const headers = { origin: dashboard, 'access-control-request-method': 'GET' };
  for (const method of ['OPTIONS', 'GET']) {
    const answer = await silent.call(method, '/v1/companies', { headers });
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.headers.vary).toBeUndefined();
  }
  await silent.close();
});

async function servePage() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Dashboard</title>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(!hasChromium)('in Chromium', () => {
  it('a page of a configured origin reads data in each protocol, and another page reads nothing', async () => {
    const [named, other] = [await servePage(), await servePage()];
    const open = await startService({
      storage: { memory: true },
      environment: { CORS_ORIGINS: named.origin },
    });
    const { key, company } = await open.fixtures.readablePortfolio();
    const browser = await openChromium();
    const openPage = async (origin: string) => {
      const page = await browser.newPage();
      await page.goto(origin);
      return page;
    };
    const [ofNamed, ofOther] = [await openPage(named.origin), await openPage(other.origin)];
    const read = (page: Page, path: string, body?: object) =>
      page.evaluate(
        async ([url, authorization, text]) => {
          const headers = { authorization, 'content-type': 'application/json' };
          const sent = text === null ? {} : { method: 'POST', body: text };
          try {
            const answer = await fetch(url, { headers, ...sent });
            const id = answer.headers.get('svc-request-id');
            return [answer.status, id?.slice(0, 4), answer.headers.get('ratelimit-limit')];
          } catch (error) {
            return String(error);
          }
        },
        [open.url + path, `Bearer ${key}`, body ? JSON.stringify(body) : null] as const,
      );
    const calls = [
      [`/v1/companies/${company.id}/metrics`],
      ['/graphql', { query: '{ companies { name } }' }],
      ['/trpc/accessRequests.list', {}],
      ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ] as const;
    for (const [path, body] of calls) {
      expect(await read(ofNamed, path, body), path).toEqual([200, 'req_', '6000']);
      expect(await read(ofOther, path, body), path).toMatch(/Failed to fetch/);
    }
    expect(await read(ofNamed, '/v1/companies/co_none/metrics')).toEqual([404, 'req_', '6000']);
    for (const page of [ofNamed, ofOther]) await page.close();
    for (const { server } of [named, other]) server.close();
    await open.close();
  });
});
