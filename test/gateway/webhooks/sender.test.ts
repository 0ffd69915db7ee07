import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createWebhookSender } from '../../../gateway/webhooks/sender.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secrets = [1, 2].map(
  (byte) => `whsec_${Buffer.from(new Uint8Array(24).fill(byte)).toString('base64')}`,
);

const message = {
  id: 'evt_0198c5c1',
  timestamp: new Date(),
  body: '{"type":"webhook.test","data":{"text":"é"}}',
  secrets,
};

async function receive(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  onTestFinished(() => receiver.close());
  return receiver;
}

async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const switching =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

const sender = createWebhookSender({ allowPrivate: true });
const impatient = createWebhookSender({ allowPrivate: true, timeoutMilliseconds: 50 });

const proxies = ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY'] as const;

afterEach(() => {
  for (const name of proxies) delete process.env[name];
});

describe('a webhook', () => {
  test('has a signature for each secret, which the public library of Standard Webhooks accepts', async () => {
    const { url, calls } = await receive();
    expect(await sender.send({ ...message, url })).toEqual({
      status: 204,
      retryAfterSeconds: null,
    });
    const [call] = calls;
    expect(call?.headers['content-type']).toBe('application/json');
    for (const secret of secrets) {
      const headers = call?.headers as Record<string, string>;
      expect(new Webhook(secret).verify(call?.body ?? '', headers)).toEqual(
        JSON.parse(message.body),
      );
    }
  });

  test('has one signature if it has one secret, as in the specification’s example', async () => {
    const { url, calls } = await receive();
    await sender.send({
      url,
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    });
    expect(calls[0]?.headers['webhook-timestamp']).toBe('1614265330');
    expect(calls[0]?.headers['webhook-signature']).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  test('does not follow a redirect', async () => {
    const target = await receive();
    const { url } = await receive((_call, response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    expect(await sender.send({ ...message, url })).toMatchObject({ status: 307 });
    expect(target.connections()).toBe(0);
  });

  test('uses no proxy, whatever the environment sets', async () => {
    const proxy = await receive();
    const { url, calls } = await receive();
    process.env.HTTP_PROXY = proxy.url;
    process.env.http_proxy = proxy.url;
    process.env.NODE_USE_ENV_PROXY = '1';
    expect(await sender.send({ ...message, url })).toMatchObject({ status: 204 });
    expect(calls).toHaveLength(1);
    expect(proxy.connections()).toBe(0);
  });

  test('opens a new connection for each delivery', async () => {
    const receiver = await receive();
    await sender.send({ ...message, url: receiver.url });
    await sender.send({ ...message, url: receiver.url });
    expect(receiver.connections()).toBe(2);
  });
});

describe('the response of a webhook receiver', () => {
  test.each([
    ['7', 7],
    ['0', null],
    ['-3', null],
    ['soon', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['99999999999999999999', null],
  ])(
    'can request a pause: Retry-After %s means this number of seconds (null: no pause): %s',
    async (text, seconds) => {
      const { url } = await receive((_call, response) =>
        response.writeHead(503, { 'retry-after': text }).end(),
      );
      expect(await sender.send({ ...message, url })).toEqual({
        status: 503,
        retryAfterSeconds: seconds,
      });
    },
  );

  test('may contain a date in Retry-After', async () => {
    const until = new Date(Date.now() + 3_600_000).toUTCString();
    const { url } = await receive((_call, response) =>
      response.writeHead(429, { 'retry-after': until }).end(),
    );
    const outcome = await sender.send({ ...message, url });
    const { retryAfterSeconds } = outcome as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThan(3_000);
    expect(retryAfterSeconds).toBeLessThanOrEqual(3_600);
  });

  test('is not read to its end if it never ends', async () => {
    const { url } = await receive(async (_call, response) => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('x'.repeat(1024));
        await setImmediate();
      }
    });
    expect(await sender.send({ ...message, url })).toMatchObject({ status: 200 });
  });

  test('counts with its status even if its body stops arriving', async () => {
    const { url } = await receive((_call, response) => response.writeHead(200).write('{'));
    const patient = createWebhookSender({ allowPrivate: true, timeoutMilliseconds: 1_000 });
    expect(await patient.send({ ...message, url })).toMatchObject({ status: 200 });
  });
});

describe('a webhook receiver', () => {
  test('is given up after the time limit if it doesn’t answer', async () => {
    const url = await listen(() => undefined);
    expect(await impatient.send({ ...message, url })).toEqual({ failure: 'timeout' });
  });

  test('is given up after the time limit if it sends its headers byte by byte', async () => {
    const url = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await impatient.send({ ...message, url })).toEqual({ failure: 'timeout' });
  });

  test('is given up after the time limit if its name can’t be looked up', async () => {
    const silent = createWebhookSender({
      allowPrivate: true,
      timeoutMilliseconds: 50,
      findAddresses: () => new Promise(() => undefined),
    });
    expect(await silent.send({ ...message, url: 'http://silent.example/' })).toEqual({
      failure: 'timeout',
    });
  });

  test.each([
    [
      'that resets the connection',
      (socket: Socket) => socket.resetAndDestroy(),
      'connection_failed',
    ],
    ['that closes the connection', (socket: Socket) => socket.end(), 'connection_failed'],
    ['that changes the protocol', (socket: Socket) => socket.write(switching), 'connection_failed'],
    ['that speaks no HTTP', (socket: Socket) => socket.end('SSH-2.0\r\n'), 'invalid_response'],
  ])('is reported with its failure: a receiver %s', async (_name, onConnection, failure) => {
    const url = await listen((socket) => socket.once('data', () => onConnection(socket)));
    expect(await sender.send({ ...message, url })).toEqual({ failure });
  });

  test('is reported with its failure if it doesn’t support TLS', async () => {
    const url = await listen((socket) => socket.once('data', () => socket.end('hello')));
    const https = url.replace('http:', 'https:');
    expect(await sender.send({ ...message, url: https })).toEqual({ failure: 'tls_failed' });
  });

  test('is given up at once if the delivery is stopped', async () => {
    const stopping = new AbortController();
    const url = await listen(() => stopping.abort());
    const outcome = await sender.send({ ...message, url, signal: stopping.signal });
    expect(outcome).toEqual({ failure: 'stopped' });
  });
});
