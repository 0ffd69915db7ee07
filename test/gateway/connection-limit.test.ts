import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { startService, type TestService } from '../support/service.ts';

const most = 20;

describe('when a client opens more connections than the limit', () => {
  let service: TestService;
  let sockets: net.Socket[];
  beforeEach(async () => {
    sockets = [];
    service = await startService({
      storage: { memory: true },
      bounds: { connections: most },
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await service?.close();
  });

  async function openConnections(count: number): Promise<void> {
    const { port } = new URL(service.url);
    for (let opened = 0; opened < count; opened += 1) {
      const socket = net.connect({ host: '127.0.0.1', port: Number(port) });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
  }
  const openCount = () => sockets.filter(({ closed }) => !closed).length;
  const held = () =>
    new Promise<number>((resolve) =>
      service.app.server.getConnections((_error, count) => resolve(count)),
    );

  async function call(client: ReturnType<typeof createHttpClient>, key: string) {
    expectOk(await client.call('GET', '/v1/companies', { key }));
  }

  it('the server closes the oldest unauthenticated connections and stays within the limit', async () => {
    await openConnections(3 * most);
    await expect.poll(openCount).toBeLessThanOrEqual(most);
    expect(sockets.slice(0, most).every(({ closed }) => closed)).toBe(true);
    expect(sockets.at(-1)?.closed).toBe(false);
    expect(await held()).toBeLessThanOrEqual(most);
  });

  it('a caller with a valid key keeps its connection', async () => {
    const { key } = await service.fixtures.portfolio();
    const client = createHttpClient(service.url, undefined, 1);
    await call(client, key);
    const accepted: net.Socket[] = [];
    service.app.server.on('connection', (socket) => accepted.push(socket));
    await openConnections(3 * most);
    const before = accepted.length;
    await call(client, key);
    expect(accepted.length).toBe(before);
    client.close();
  });

  it('a new caller and a health check can still open a connection', async () => {
    const { key } = await service.fixtures.portfolio();
    await openConnections(3 * most);
    const client = createHttpClient(service.url);
    await call(client, key);
    expect((await client.call('GET', '/healthz')).status).toBe(200);
    client.close();
  });

  it('a tenth of the limit is reserved for unauthenticated connections, however many callers are connected', async () => {
    const { key } = await service.fixtures.portfolio();
    const clients = Array.from({ length: 2 * most }, () =>
      createHttpClient(service.url, undefined, 1),
    );
    for (const client of clients) await call(client, key);
    const late = createHttpClient(service.url, undefined, 1);
    expect((await late.call('GET', '/readyz')).status).toBe(200);
    expect(await held()).toBeLessThanOrEqual(most);
    for (const client of [late, ...clients]) client.close();
  });

  it('a connection whose last credential was refused is closed like an unauthenticated one', async () => {
    const { key } = await service.fixtures.portfolio();
    const client = createHttpClient(service.url, undefined, 1);
    await call(client, key);
    expect((await client.call('GET', '/v1/companies', { key: 'nonsense' })).status).toBe(401);
    const accepted: net.Socket[] = [];
    await openConnections(3 * most);
    service.app.server.on('connection', (socket) => accepted.push(socket));
    await call(client, key);
    expect(accepted).toHaveLength(1);
    client.close();
  });

  it('the log has a line only for the first closed connection', async () => {
    await openConnections(3 * most);
    const lines = service.log.filter((line) => line.includes('too many connections'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, closed: 1, most }]);
  });
});
