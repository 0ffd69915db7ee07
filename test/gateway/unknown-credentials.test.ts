import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#http';
import { openConnection } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';

const count = 64;

describe('requests with many different unknown credentials', () => {
  let service: TestService;
  /** The credentials that were checked in each turn of the event loop. */
  let turns: string[][];
  let isOver: boolean;

  beforeEach(async () => {
    turns = [[]];
    isOver = false;
    service = await startService({
      storage: { memory: true },
      environment: { TRUSTED_PROXIES: '127.0.0.0/8,::1' },
      interpose: (useCases) => ({
        ...useCases,
        admitCaller(credential, ...call) {
          turns.at(-1)?.push(credential);
          return useCases.admitCaller(credential, ...call);
        },
      }),
    });
    const nextTurn = () => {
      turns.push([]);
      if (!isOver) setImmediate(nextTurn);
    };
    nextTurn();
  });
  afterEach(async () => {
    isOver = true;
    await service?.close();
  });

  const requestOf = (credential: string, ...headers: string[]) =>
    [
      'GET /v1/companies HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${credential}`,
      ...headers,
      '\r\n',
    ].join('\r\n');

  /** Sends one request per credential, all at once on one connection. */
  async function sendAll(credentials: readonly string[]): Promise<string> {
    const connection = openConnection(service.url);
    const last = credentials.length - 1;
    connection.write(
      credentials
        .map((one, index) => requestOf(one, ...(index === last ? ['Connection: close'] : [])))
        .join(''),
    );
    return String(await connection.closed);
  }

  const strangers = (form: string) =>
    Array.from({ length: count }, (_, index) => `${form}${String(index).padStart(32, '0')}`);

  it.each(['svc_sk_live_', 'junk'])(
    'are checked in small groups, a few in each turn of the event loop: %s…',
    async (form) => {
      const answers = await sendAll(strangers(form));
      expect(answers.match(/invalid_api_key/g)?.length).toBeGreaterThanOrEqual(count);
      expect(turns.flat()).toHaveLength(count);
      expect(Math.max(...turns.map((turn) => turn.length))).toBeLessThanOrEqual(
        limits.permits.perNetwork,
      );
    },
  );

  it('do not delay callers of another network', async () => {
    const { key } = await service.fixtures.portfolio();
    const flood = sendAll(strangers('junk'));
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.9' };
    const answer = await fetch(`${service.url}/v1/companies`, { headers });
    expect(answer.status).toBe(200);
    expect(turns.flat().indexOf(key)).toBeLessThan(count / 2);
    await flood;
  });

  it.each(['a stranger', 'a caller'])(
    'do not block another caller while their bodies arrive slowly (sent by %s)',
    async (who) => {
      const { key } = await service.fixtures.portfolio();
      const [path, header] =
        who === 'a caller'
          ? ['/v1/access-requests', `Authorization: Bearer ${key}`]
          : ['/desk/sign-in', 'Content-Type: application/x-www-form-urlencoded'];
      const request = [`POST ${path} HTTP/1.1`, 'Host: a', header, 'Content-Length: 9', '', 'e'];
      const connections = Array.from({ length: limits.permits.perNetwork }, () => {
        const connection = openConnection(service.url);
        connection.write(request.join('\r\n'));
        return connection;
      });
      expect(await sendAll([key])).toContain('HTTP/1.1 200 OK');
      for (const connection of connections) connection.end();
    },
    // Shorter than the time limit for the body of a request.
    10_000,
  );
});
