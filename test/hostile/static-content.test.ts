import { hash } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { serveStatic } from '#http';
import { closedAfterAll } from '../support/closed.ts';
import { isFull } from '../support/property-runs.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(
  startService({
    storage: { memory: true },
    environment: { GRAPHQL_INTROSPECTION: 'on' },
  }),
);

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const {
    statusCode,
    headers: answered,
    rawPayload,
  } = await service.app.inject({
    method: method as 'GET',
    url: path,
    headers: { host: 'a', accept: 'text/html', ...headers },
  });
  service.check({
    method,
    path,
    status: statusCode,
    headers: answered as Record<string, string>,
    text: rawPayload.toString('latin1'),
    body: undefined,
  });
  return { status: statusCode, headers: answered, bytes: rawPayload };
}

const places = [
  ['/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/company/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/graphql', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/reference', 'text/html; charset=utf-8'],
  ['/docs/keys', 'text/html; charset=utf-8'],
  ['/docs/keys.md', 'text/markdown; charset=utf-8'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/docs/js/scalar.js', 'application/javascript; charset=utf-8'],
] as const;
const plainly = (bytes: Buffer) => bytes;

// The test of encodings in test/conformance/ covers more values of the header.
const forms: readonly (readonly [string, string | undefined, (bytes: Buffer) => Buffer])[] = [
  ['br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['identity', undefined, plainly],
];

describe.each(places)('%s', (path, type) => {
  let plain: Awaited<ReturnType<typeof ask>>;
  beforeAll(async () => {
    plain = await ask(path);
  });

  it.each(forms)(
    'sends the same content with a separate ETag for Accept-Encoding: %s',
    async (accept, encoding, decode) => {
      const answer = await ask(path, { 'accept-encoding': accept });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(answer.headers['content-type']).toBe(type);
      expect(answer.headers.vary).toContain('Accept-Encoding');
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(answer.headers.etag).toMatch(/^"[\w-]{43}"$/);
      expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
      expect(decode(answer.bytes).equals(plain.bytes)).toBe(true);
      expect(answer.headers.etag === plain.headers.etag).toBe(encoding === undefined);
    },
  );

  it('is much smaller if it is compressed', async () => {
    const small = await ask(path, { 'accept-encoding': 'br' });
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 1.5);
  });

  it('returns 304 if the client already has the content in the requested encoding', async () => {
    for (const accept of ['br', 'gzip', 'identity']) {
      const { headers } = await ask(path, { 'accept-encoding': accept });
      const etag = String(headers.etag);
      for (const known of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
        const again = await ask(path, { 'accept-encoding': accept, 'if-none-match': known });
        expect([again.status, again.bytes.length]).toEqual([304, 0]);
        for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy'])
          expect(again.headers[name], name).toBe(headers[name]);
      }
      const other = accept === 'br' ? 'gzip' : 'br';
      const changed = await ask(path, { 'accept-encoding': other, 'if-none-match': etag });
      expect(changed.status).toBe(200);
    }
  });

  it('has the same headers for HEAD as for GET', async () => {
    const got = await ask(path, { 'accept-encoding': 'gzip' });
    const head = await ask(path, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['etag', 'vary', 'content-length', 'content-encoding', 'content-type'])
      expect(head.headers[name], name).toBe(got.headers[name]);
  });
});

describe('slow readers', () => {
  it.each(
    places.filter(([path]) => path.endsWith('/scalar.js') || (isFull && path === '/graphql')),
  )('two hundred clients that never read %s share one copy of it in memory', async (path) => {
    const whole = (await ask(path)).bytes.length;
    const { hostname: host, port } = new URL(service.url);
    const before = process.memoryUsage().rss;
    const sockets = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = net.connect({ host, port: Number(port) });
        socket.on('error', () => undefined);
        socket.pause();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n`);
        await once(socket, 'readable');
        return socket;
      }),
    );
    const more = process.memoryUsage().rss - before;
    for (const socket of sockets) socket.destroy();
    expect(whole * sockets.length).toBeGreaterThan(800_000_000);
    expect(more).toBeLessThan(200_000_000);
  });
});

describe('pages', () => {
  it.each(['/graphql', '/docs/', '/docs/reference', '/docs/errors'])(
    'the security policy of %s allows its inline scripts and no others',
    async (path) => {
      const { headers, bytes } = await ask(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/script-src[^;]*'unsafe-inline'|nonce-/);
      const inlineScripts = bytes
        .toString()
        .matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs);
      const expected = [...inlineScripts].map(([, script = '']) =>
        hash('sha256', script, 'base64'),
      );
      const allowed = [...policy.matchAll(/'sha256-([^']+)'/g)].map(([, digest]) => digest);
      expect(allowed).toEqual(expected);
    },
  );

  it.runIf(isFull)('pages have the same ETag in every process', async () => {
    const second = await startService({
      storage: { memory: true },
      environment: { GRAPHQL_INTROSPECTION: 'on' },
    });
    for (const [path] of places) {
      const first = await ask(path);
      const headers = { host: 'a', accept: 'text/html' };
      const other = await second.app.inject({ url: path, headers });
      expect(other.headers.etag, path).toBe(first.headers.etag);
    }
    await second.close();
  });

  it('/docs redirects to the documentation’s path, whatever the Host header is', async () => {
    const answer = await ask('/docs', { host: 'elsewhere.example' });
    expect([answer.status, answer.headers.location]).toEqual([301, '/docs/']);
  });
});

describe('static content', () => {
  async function serve(make: () => { type: string; bytes: Buffer }, version?: () => string) {
    const app = fastify();
    app.get('/', serveStatic(make, version));
    const get = async (accept = 'identity') =>
      (await app.inject({ url: '/', headers: { 'accept-encoding': accept } })).statusCode;
    return { app, get };
  }
  const content = () => ({ type: 'text/plain', bytes: Buffer.from('text') });

  it('is produced only once for all simultaneous requests', async () => {
    const make = vi.fn(content);
    const { get } = await serve(make);
    expect(make).not.toHaveBeenCalled();
    await Promise.all(['br', 'gzip', 'identity', 'br', 'gzip', 'identity'].map(get));
    await get();
    expect(make).toHaveBeenCalledTimes(1);
  });

  it('is produced again if its version changes', async () => {
    const make = vi.fn(content);
    let version = '';
    const { get } = await serve(make, () => version);
    await get();
    version = 'http://127.0.0.1:3000';
    await get();
    await get();
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('is produced again after a failure', async () => {
    const make = vi.fn(content);
    make.mockImplementationOnce(() => {
      throw new Error('not now');
    });
    const { get } = await serve(make);
    expect([await get(), await get()]).toEqual([500, 200]);
  });
});
