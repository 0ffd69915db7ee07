import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConnection } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';

const strangersPerTurn = 8;
const count = 64;

describe('requests whose credentials nobody has, another one each time', () => {
  let service: TestService;
  /** By turn of the event loop: the credentials that were looked at in it. */
  let turns: string[][];
  let isOver: boolean;

  beforeEach(async () => {
    turns = [[]];
    isOver = false;
    service = await startService({
      storage: { memory: true },
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

  /** All at once on one connection. */
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
    'begin a few a turn, like those without any: %s…',
    async (form) => {
      const answers = await sendAll(strangers(form));
      expect(answers.match(/invalid_api_key/g)?.length).toBeGreaterThanOrEqual(count);
      expect(turns.flat()).toHaveLength(count);
      expect(Math.max(...turns.map((turn) => turn.length))).toBeLessThanOrEqual(strangersPerTurn);
    },
  );

  it('hold no caller up that was admitted before', async () => {
    const { key } = await service.fixtures.portfolio();
    expect((await service.get('/v1/companies', key)).status).toBe(200);
    turns.length = 1;
    turns[0] = [];
    await sendAll([...strangers('junk'), key]);
    expect(turns.flat().indexOf(key)).toBeLessThanOrEqual(strangersPerTurn);
  });

  it('wait again once the credential that was admitted is revoked', async () => {
    const { key, keyId } = await service.fixtures.portfolio();
    expect((await service.get('/v1/companies', key)).status).toBe(200);
    await service.operator.revokeApiKey({ id: keyId });
    expect((await service.get('/v1/companies', key)).status).toBe(401);
    turns.length = 1;
    turns[0] = [];
    await sendAll([...strangers('junk'), key]);
    expect(turns.flat().indexOf(key)).toBe(count);
  });
});
