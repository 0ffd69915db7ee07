import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createWebhookSender } from '../../../gateway/webhooks/sender.ts';

/** A self-signed certificate for hooks.example. Null if openssl is missing. */
function makeCertificate(): { key: string; cert: string } | null {
  const folder = mkdtempSync(join(inject('dataFolder'), 'tls'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=hooks.example', '-addext', 'subjectAltName=DNS:hooks.example'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', ...kind, '-days', '2', ...subject, '-keyout', key, '-out', cert],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return null;
  }
}

const certificate = makeCertificate();
if (certificate === null) console.error('SKIPPED: webhooks over TLS: no openssl');

describe.skipIf(certificate === null)('a webhook over TLS', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer(certificate ?? {}, (_request, response) => response.writeHead(204).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  const send = (host: string, ca?: string, proxy?: string) =>
    createWebhookSender({
      allowPrivate: proxy === undefined,
      ...(proxy !== undefined && { proxy }),
      findAddresses: async () => [{ address: '127.0.0.1', family: 4 }],
      ...(ca !== undefined && { ca }),
    }).send({
      url: `https://${host}:${port}/`,
      id: 'evt_1',
      timestamp: new Date(),
      body: '{}',
      secrets: ['whsec_AAAA'],
    });

  test('is sent to a receiver whose certificate matches the host name', async () => {
    expect(await send('hooks.example', certificate?.cert)).toMatchObject({ status: 204 });
  });

  test('is not sent to a receiver whose certificate has no trusted issuer', async () => {
    expect(await send('hooks.example')).toEqual({ failure: 'tls_failed' });
  });

  test('is not sent to a receiver whose certificate is for another host name', async () => {
    expect(await send('other.example', certificate?.cert)).toEqual({ failure: 'tls_failed' });
  });

  test('is not sent to an untrusted receiver, even if Node’s certificate checks are turned off', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await send('hooks.example')).toEqual({ failure: 'tls_failed' });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test('goes through WEBHOOK_PROXY, which looks up names, but isn’t sent to a private IP address in the URL', async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', ({ url }, socket) => {
      asked.push(url);
      if (url?.startsWith('refused.')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      return socket.pipe(connect(port, '127.0.0.1')).pipe(socket);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    expect(await send('hooks.example', certificate?.cert, url)).toMatchObject({ status: 204 });
    expect(await send('refused.example', undefined, url)).toEqual({ failure: 'connection_failed' });
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(await send(host, undefined, url)).toEqual({ failure: 'address_not_allowed' });
    }
    expect(asked).toEqual([`hooks.example:${port}`, `refused.example:${port}`]);
    proxy.close();
  });
});
