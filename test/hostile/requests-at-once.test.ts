import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
/** Each function lets one waiting call of the use case continue. */
let held: (() => void)[] = [];
let isHolding = false;

beforeAll(async () => {
  service = await startService({
    storage: { memory: true },
    environment: { RATE_LIMIT_POINTS: '100000' },
    interpose: (useCases) => ({
      ...useCases,
      async listPortfolio(...asked) {
        if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
        return useCases.listPortfolio(...asked);
      },
    }),
  });
});
afterAll(() => service?.close());
beforeEach(() => {
  held = [];
  isHolding = true;
});

const agent = new Agent();

function ask(key: string | null, path = '/v1/companies', scheme = 'Bearer') {
  const sent = request(`${service.url}${path}`, {
    agent,
    headers: key === null ? {} : { authorization: `${scheme} ${key}` },
  });
  sent.on('error', () => undefined);
  sent.end();
  const answer = once(sent, 'response').then(async ([response]: IncomingMessage[]) => {
    response?.resume();
    return response as IncomingMessage;
  });
  answer.catch(() => undefined);
  return { sent, answer };
}

const manyOf = (key: string, count: number) => Array.from({ length: count }, () => ask(key));

async function letGo(): Promise<void> {
  isHolding = false;
  for (const go of held.splice(0)) go();
}

describe('the HTTP requests of one credential', () => {
  it('run 32 at a time, while other callers and health checks are served', async () => {
    const { key } = await service.fixtures.portfolio();
    const { key: neighbour } = await service.fixtures.portfolio();
    const asked = manyOf(key, 60);
    await expect.poll(() => held).toHaveLength(32);
    isHolding = false;
    expect((await ask(neighbour).answer).statusCode).toBe(200);
    expect((await ask(null, '/healthz').answer).statusCode).toBe(200);
    expect((await ask(null, '/v1/openapi.json').answer).statusCode).toBe(200);
    expect(held).toHaveLength(32);
    await letGo();
    const answers = await Promise.all(asked.map(({ answer }) => answer));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it('are refused with 503 if more than 1,000 of them wait', async () => {
    const { key } = await service.fixtures.portfolio();
    // 32 requests run and 1,000 wait, so 8 of the 1,040 are refused.
    const asked = manyOf(key, 1_040);
    const refusals: IncomingMessage[] = [];
    for (const { answer } of asked) {
      void answer.then((response) => response.statusCode === 503 && refusals.push(response));
    }
    await expect.poll(() => refusals).toHaveLength(8);
    const [refused] = refusals as [IncomingMessage];
    expect(refused.headers['retry-after']).toBe('5');
    expect(refused.headers['svc-request-id']).toMatch(/^req_/);
    await letGo();
    const answers = await Promise.all(asked.map(({ answer }) => answer));
    const passed = answers.filter(({ statusCode }) => statusCode === 200);
    expect(passed).toHaveLength(1_032);
  });

  it('share one limit, even if the word Bearer is spelled differently', async () => {
    const { key } = await service.fixtures.portfolio();
    const asked = ['Bearer', 'bearer', 'BEARER ', 'Bearer    '].flatMap((scheme) =>
      Array.from({ length: 20 }, () => ask(key, '/v1/companies', scheme)),
    );
    await expect.poll(() => held).toHaveLength(32);
    expect((await ask(null, '/healthz').answer).statusCode).toBe(200);
    expect(held).toHaveLength(32);
    await letGo();
    await Promise.all(asked.map(({ answer }) => answer));
  });

  it('let the next request run when their caller disconnects', async () => {
    const { key } = await service.fixtures.portfolio();
    const asked = manyOf(key, 40);
    await expect.poll(() => held).toHaveLength(32);
    for (const { sent } of asked) sent.destroy();
    isHolding = false;
    expect((await ask(key).answer).statusCode).toBe(200);
    await letGo();
  });

  it('let the next request run once they are answered, even if the caller never reads the responses', async () => {
    isHolding = false;
    const { company, key } = await service.fixtures.readablePortfolio();
    const [cash] = sampleData(company.id);
    const longest = Array.from({ length: 3_000 }, (_, day) => {
      const period = new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10);
      return { ...cash, period, as_of: `${period}T23:59:59Z` };
    });
    await importLines(service.operator, longest);
    const path = `/v1/companies/${company.id}/metrics/cash_balance/history`;
    const untaken = Array.from({ length: 40 }, () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      socket.pause();
      return socket;
    });
    await Promise.all(untaken.map((socket) => once(socket, 'readable')));
    expect((await ask(key).answer).statusCode).toBe(200);
    for (const socket of untaken) socket.destroy();
  });

  it('let the next request run if the process has injected them into its own server', async () => {
    isHolding = false;
    for (let count = 0; count < 10; count += 1) {
      expect((await service.app.inject('/v1/openapi.json')).statusCode).toBe(200);
    }
  });
});
