import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { isSameOrigin } from '../../desk/security.ts';

interface Asked {
  readonly publicUrl?: string;
  readonly trustProxy?: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

async function isOurs({ publicUrl = 'http://127.0.0.1:3000', trustProxy, headers }: Asked) {
  const app = fastify({ trustProxy: trustProxy ?? false });
  app.post('/', async (request) => isSameOrigin(request, publicUrl));
  const { body } = await app.inject({ method: 'POST', url: '/', headers });
  await app.close();
  return JSON.parse(body);
}

const host = 'access.example';
const publicUrl = `https://${host}`;

describe('a form', () => {
  it.each<[string, Asked]>([
    ['from the public address', { publicUrl, headers: { host, origin: publicUrl } }],
    [
      'from the public address, whatever host a proxy names',
      { publicUrl, headers: { host: '10.0.0.7:3000', origin: publicUrl } },
    ],
    [
      'from the host of the request, with the scheme of the request',
      { headers: { host: 'localhost:3000', origin: 'http://localhost:3000' } },
    ],
    [
      'from the host of the request, with the scheme that a trusted proxy names',
      { trustProxy: true, headers: { host, 'x-forwarded-proto': 'https', origin: publicUrl } },
    ],
    [
      'if the browser reports the same origin',
      { publicUrl, headers: { host, origin: publicUrl, 'sec-fetch-site': 'same-origin' } },
    ],
  ])('is accepted %s', async (_what, asked) => {
    expect(await isOurs(asked)).toBe(true);
  });
});

describe('a form', () => {
  it.each<[string, Asked]>([
    ['from another host', { publicUrl, headers: { host, origin: 'https://evil.example' } }],
    ['from another port', { publicUrl, headers: { host, origin: `${publicUrl}:8443` } }],
    ['without an origin', { publicUrl, headers: { host } }],
    ['from the origin null', { publicUrl, headers: { host, origin: 'null' } }],
    [
      'from an http page if the public address has https',
      { publicUrl, headers: { host, origin: `http://${host}` } },
    ],
    [
      'from an http page if a trusted proxy was called by https',
      {
        trustProxy: true,
        headers: { host, 'x-forwarded-proto': 'https', origin: `http://${host}` },
      },
    ],
    [
      'from an https page if the request came by http',
      { headers: { host: 'localhost:3000', origin: 'https://localhost:3000' } },
    ],
    [
      'from an https page if only an untrusted proxy names https',
      { headers: { host, 'x-forwarded-proto': 'https', origin: publicUrl } },
    ],
    [
      'if the browser reports another site',
      { publicUrl, headers: { host, origin: publicUrl, 'sec-fetch-site': 'cross-site' } },
    ],
  ])('is rejected %s', async (_what, asked) => {
    expect(await isOurs(asked)).toBe(false);
  });
});
