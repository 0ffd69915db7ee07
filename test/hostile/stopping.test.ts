import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InvestorUseCases } from '#core';
import { drain } from '../../gateway/shutdown.ts';
import { openConnection, parseResponses, type RawConnection } from '../support/raw-http.ts';
import { type ServiceOptions, startService, type TestService } from '../support/service.ts';

let service: TestService;
let key: string;
let proceed: () => void;
/** Resolves when this many requests wait. */
let held: (count: number) => Promise<void>;
const warn = vi.fn();

beforeEach(() => start());

async function start(timeouts?: ServiceOptions['timeouts']): Promise<void> {
  warn.mockClear();
  const gate = Promise.withResolvers<void>();
  proceed = gate.resolve;
  let waiting = 0;
  held = (count) => expect.poll(() => waiting).toBeGreaterThanOrEqual(count);
  service = await startService({
    storage: { memory: true },
    ...(timeouts && { timeouts }),
    interpose: (useCases): InvestorUseCases => ({
      ...useCases,
      listPortfolio: async (...call) => {
        waiting += 1;
        await gate.promise;
        return useCases.listPortfolio(...call);
      },
    }),
  });
  ({ key } = await service.fixtures.portfolio());
}
afterEach(async () => {
  proceed();
  await service?.close();
});

const request = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
const slow = () => request('/v1/companies');
const quick = () => request('/v1/reports');

async function open(bytes: string): Promise<RawConnection> {
  const known = once(service.app.server, 'connection');
  const connection = openConnection(service.url);
  await known;
  if (bytes !== '') connection.write(bytes);
  return connection;
}

async function answersOf(connection: RawConnection) {
  const answers = parseResponses(await connection.closed);
  for (const answer of answers) service.check(answer);
  return answers.map(({ status, headers }) => [status, headers.connection]);
}

const stop = (milliseconds?: number) => drain(service.app, { warn }, milliseconds);

/** Resolves when the service accepts no new connections. */
async function beginToStop(): Promise<{ stopped: Promise<void> }> {
  const stopped = stop();
  await expect.poll(() => service.app.server.listening).toBe(false);
  return { stopped };
}

describe('a stopping service', () => {
  it.each([
    ['has sent nothing yet', ''],
    ['has sent one byte', 'G'],
    ['has sent half of its headers', 'GET /healthz HTTP/1.1\r\nHo'],
  ])('ends a connection that %s at once', async (_name, bytes) => {
    const connection = await open(bytes);
    await stop();
    expect((await connection.closed).length).toBe(0);
    expect(warn).not.toHaveBeenCalled();
  });

  it('ends an idle connection at once', async () => {
    const connection = await open(quick());
    await connection.waitFor('not_implemented');
    await stop();
    expect(await answersOf(connection)).toEqual([[501, 'keep-alive']]);
    expect(warn).not.toHaveBeenCalled();
  });

  describe('that still accepts a last request', () => {
    beforeEach(async () => {
      await service.close();
      await start({ lastCall: 60_000 });
    });

    it.each([
      ['has been used', true],
      ['has just been opened', false],
    ])(
      'answers one more request of a connection that %s, and then closes the connection',
      async (_name, isUsed) => {
        const connection = await open(isUsed ? quick() : '');
        if (isUsed) await connection.waitFor('not_implemented');
        const { stopped } = await beginToStop();
        connection.write(quick());
        await stopped;
        const answers = await answersOf(connection);
        expect(answers).toEqual([...(isUsed ? [[501, 'keep-alive']] : []), [501, 'close']]);
      },
    );
  });

  it('ends a connection with an unanswered request only after the response', async () => {
    const connection = await open(slow());
    await held(1);
    const { stopped } = await beginToStop();
    proceed();
    await stopped;
    expect(await answersOf(connection)).toEqual([[200, 'close']]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('answers all sent requests of a connection in order, and then closes the connection', async () => {
    const connection = await open(slow() + quick() + slow());
    await held(2);
    const { stopped } = await beginToStop();
    const read = once(service.app.server, 'request');
    connection.write(quick());
    await read;
    proceed();
    await stopped;
    expect(await answersOf(connection)).toEqual([
      [200, undefined],
      [501, 'keep-alive'],
      [200, undefined],
      [501, 'close'],
    ]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    ['words that are not HTTP', 'hello?\r\n\r\n'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])(
    'ends a connection after the response to its request, even if this follows: %s',
    async (_name, bytes) => {
      const connection = await open(slow() + bytes);
      await held(1);
      const { stopped } = await beginToStop();
      proceed();
      await stopped;
      expect(await answersOf(connection)).toEqual([[200, 'close']]);
      expect(warn).not.toHaveBeenCalled();
    },
  );

  it('ends a connection even if its last response was for an unknown path', async () => {
    const connection = await open(slow());
    await held(1);
    const { stopped } = await beginToStop();
    const read = once(service.app.server, 'request');
    connection.write('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
    await read;
    proceed();
    await stopped;
    expect((await answersOf(connection)).at(-1)).toEqual([404, 'close']);
  });

  it('ends connections with unanswered requests after the time limit, and logs their number', async () => {
    const [one, two] = [await open(slow()), await open(slow() + slow())];
    await held(3);
    await stop(20);
    expect([await answersOf(one), await answersOf(two)]).toEqual([[], []]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toEqual({ unanswered: 3, untaken: 0 });
  });

  it('ends connections of clients that do not read after the time limit, and logs their number', async () => {
    const { hostname: host, port } = new URL(service.url);
    const known = once(service.app.server, 'connection');
    const socket = net.connect({ host, port: Number(port) });
    socket.on('error', () => undefined);
    socket.pause();
    await known;
    socket.write('GET /docs/js/scalar.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20));
    await once(socket, 'readable');
    await stop(20);
    const [told] = warn.mock.calls[0] as [{ unanswered: number; untaken: number }];
    expect(told.untaken).toBeGreaterThan(0);
    socket.destroy();
  });
});
