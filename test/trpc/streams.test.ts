import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  isTRPCClientError,
} from '@trpc/client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { InvestorUseCases } from '#core';
import { EventLoopLag } from '#http';
import type { AppRouter } from '../../client/index.ts';
import { drain } from '../../gateway/shutdown.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { readingOf } from '../support/loading-reads.ts';
import { startService } from '../support/service.ts';
import { readStream, serveTrpc } from './support.ts';

type Procedures = 'companies.list' | 'sources.list' | 'metrics.history';

const secret = 'password authentication failed at db-7.internal';

const agent = new http.Agent();

/** Lets calls of listPortfolio continue. The calls wait while `isHolding` is true. */
let held: (() => void)[] = [];
let isHolding = false;
let broken: Partial<InvestorUseCases> = {};
/** Access records are committed only after this promise. */
let recordsWait: Promise<void> | undefined;

const { service } = await serveTrpc({
  environment: { RATE_LIMIT_POINTS: '100000' },
  interpose: (useCases) => ({
    ...useCases,
    async listPortfolio(...asked) {
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      return (broken.listPortfolio ?? useCases.listPortfolio)(...asked);
    },
    readSources: (...asked) => (broken.readSources ?? useCases.readSources)(...asked),
  }),
  replace: ({ accessRecords }) => ({
    accessRecords: {
      ...accessRecords,
      async record(...records) {
        await recordsWait;
        return accessRecords.record(...records);
      },
    },
  }),
});
const made = await service.fixtures.readablePortfolio();
beforeEach(() => {
  held = [];
  isHolding = false;
  broken = {};
  recordsWait = undefined;
});
afterEach(letGo);

function letGo(): void {
  isHolding = false;
  for (const go of held.splice(0)) go();
}

/** Requests each answer without a wait for the others. */
function stream(
  names: readonly (Procedures | string)[],
  {
    key = made.key,
    inputs = {},
    query = 'batch=1',
  }: { key?: string | null; inputs?: object; query?: string } = {},
) {
  const input = encodeURIComponent(JSON.stringify(inputs));
  const sent = http.get(`${service.url}/trpc/${names.join()}?${query}&input=${input}`, {
    agent,
    headers: {
      'trpc-accept': 'application/jsonl',
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
  });
  sent.on('error', () => undefined);
  const response = once(sent, 'response').then(([answer]) => answer as IncomingMessage);
  response.catch(() => undefined);
  return { sent, response };
}

async function textOf(response: IncomingMessage): Promise<string> {
  return Buffer.concat(await response.toArray()).toString();
}

function createClient(link: typeof httpBatchLink | typeof httpBatchStreamLink, key = made.key) {
  const headers = { authorization: `Bearer ${key}` };
  return createTRPCClient<AppRouter>({ links: [link({ url: `${service.url}/trpc`, headers })] });
}

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable('it was answered'),
    (thrown: unknown) => thrown,
  );
  if (!isTRPCClientError<AppRouter>(error)) throw error;
  return error.shape;
}

const unforeseen = () =>
  service.log
    .map((line) => JSON.parse(line))
    .filter(({ msg, request_id: id }) => msg === 'unexpected error' && id !== undefined);

describe('a stream', () => {
  it('returns each response without waiting for the others', async () => {
    const client = createClient(httpBatchStreamLink);
    isHolding = true;
    const slow = client.companies.list.query();
    const quick = client.sources.list.query({ companyId: made.company.id });
    expect(await quick).toHaveLength(2);
    expect(held).toHaveLength(1);
    letGo();
    expect(await slow).toHaveLength(1);
  });

  it('has the same headers as every other response, and forbids caching', async () => {
    const response = await stream(['companies.list']).response;
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'svc-request-id': expect.stringMatching(/^req_[0-9a-f]{32}$/),
      'ratelimit-limit': expect.stringMatching(/^\d+$/),
      'ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'ratelimit-reset': expect.stringMatching(/^\d+$/),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/jsonl',
      'transfer-encoding': 'chunked',
    });
    expect(readStream(await textOf(response))).toMatchObject([{ result: { data: [{}] } }]);
  });

  it('returns no data of a company before the read is recorded', async () => {
    const recorded = Promise.withResolvers<void>();
    recordsWait = recorded.promise;
    const inputs = { 0: { companyId: made.company.id } };
    const { response } = stream(['sources.list', 'companies.list'], { inputs });
    const answer = await response;
    let text = '';
    answer.on('data', (chunk) => (text += String(chunk)));
    await expect.poll(() => text.includes(made.company.id)).toBe(true);
    expect(text).not.toContain('mercury');
    recorded.resolve();
    await once(answer, 'end');
    expect(text).toContain('mercury');
  });

  it('returns only its headers to a HEAD request', async () => {
    const sent = http.request(`${service.url}/trpc/companies.list?batch=1`, {
      agent,
      method: 'HEAD',
      headers: { 'trpc-accept': 'application/jsonl', authorization: `Bearer ${made.key}` },
    });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(await textOf(response)).toBe('');
  });
});

describe('a refusal in a stream', () => {
  it.each<[string, (client: ReturnType<typeof createClient>) => Promise<unknown>]>([
    [
      'a company that does not exist',
      (client) => client.companies.get.query({ companyId: 'co_1' }),
    ],
    ['a wrong input', (client) => client.metrics.latest.query({ companyId: 7 as never })],
    ['no input', (client) => client.metrics.latest.query(undefined as never)],
    [
      'a procedure that does not exist',
      (client) => (client as unknown as { no: { query(): Promise<unknown> } }).no.query(),
    ],
    [
      'a mutation by GET',
      (client) =>
        (
          client.accessRequests as unknown as { create: { query(): Promise<unknown> } }
        ).create.query(),
    ],
  ])('is the same as the refusal of a call outside a stream: %s', async (_name, call) => {
    const [streamed, whole] = await Promise.all([
      refusalOf(call(createClient(httpBatchStreamLink))),
      refusalOf(call(createClient(httpBatchLink))),
    ]);
    expect(streamed?.data.requestId).toMatch(/^req_/);
    const anyRequest = { requestId: expect.any(String) };
    expect(streamed).toEqual({ ...whole, data: { ...whole?.data, ...anyRequest } });
  });

  it('contains the time to wait if the rate limit is exceeded', async () => {
    const { key } = await service.fixtures.portfolio({ rateLimit: 1 });
    const client = createClient(httpBatchStreamLink, key);
    await client.companies.list.query();
    const codes = await Promise.all(
      [client.companies.list.query(), client.accessRequests.list.query()].map(refusalOf),
    );
    for (const refusal of codes) {
      expect(refusal?.data.code).toBe('rate_limit_exceeded');
      expect(refusal?.data.retryAfterSeconds).toBeGreaterThan(0);
    }
  });

  it('is masked for an unexpected error, and logged once for all calls', async () => {
    const fail = () => Promise.reject(new Error(secret));
    broken = { listPortfolio: fail, readSources: fail };
    const before = unforeseen().length;
    const inputs = { 0: { companyId: made.company.id }, 2: { companyId: made.company.id } };
    const names = ['sources.list', 'companies.list', 'metrics.latest'];
    const response = await stream(names, { inputs }).response;
    const text = await textOf(response);
    expect(text.match(/"internal_error"/g)).toHaveLength(2);
    expect(text).toContain('cash_balance');
    expect(text).not.toMatch(/password|db-7|stack/);
    const lines = unforeseen().slice(before);
    expect(lines).toMatchObject([
      { request_id: response.headers['svc-request-id'], count: 2, err: { message: secret } },
    ]);
  });

  it('ends the stream and is logged if a response can’t be serialised as JSON', async () => {
    const unwritable = [{ lastSyncedAt: new Date(), status: 1n }] as never;
    broken = { readSources: async () => readingOf(unwritable) };
    const before = unforeseen().length;
    const inputs = { 0: { companyId: made.company.id } };
    const response = await stream(['sources.list'], { inputs }).response;
    await expect(textOf(response)).rejects.toThrow();
    await expect.poll(() => unforeseen().length > before).toBe(true);
    expect(await createClient(httpBatchStreamLink).companies.list.query()).toHaveLength(1);
  });
});

describe('the cost of a stream', () => {
  it.each([
    ['one call', ['companies.list'], 1],
    ['more calls than a batch may have', Array(21).fill('companies.list'), 1],
    ['commas that are encoded', ['companies.list%2Ccompanies.list'], 2],
    ['empty names', ['', '', ''], 3],
  ])(
    'is one point per call, or one point if the stream is refused: %s',
    async (_name, names, cost) => {
      const { key } = await service.fixtures.portfolio({ rateLimit: 100 });
      const response = await stream(names, { key }).response;
      expect(Number(response.headers['ratelimit-remaining'])).toBe(100 - cost);
      const text = await textOf(response);
      if (response.statusCode === 200) expect(readStream(text)).toHaveLength(cost);
    },
  );

  it.each(['batch=1&batch=1', 'batch=true', '%62atch=%31'])(
    'is at least one point per answered call, whatever value the parameter “batch” has: %s',
    async (query) => {
      const { key } = await service.fixtures.portfolio({ rateLimit: 100 });
      const names = ['companies.list', 'companies.list'];
      const response = await stream(names, { key, query }).response;
      const text = await textOf(response);
      const answered = text.match(/"access":"none"/g)?.length ?? 0;
      const cost = 100 - Number(response.headers['ratelimit-remaining']);
      expect(answered).toBeLessThanOrEqual(cost);
    },
  );
});

describe('streams of one credential', () => {
  // On a busy machine, the service would refuse further streams as overloaded, so the measured delay is set to 0.
  beforeEach(() => {
    const lag = vi.spyOn(EventLoopLag.prototype, 'milliseconds', 'get').mockReturnValue(0);
    onTestFinished(() => lag.mockRestore());
  });

  it('run only a limited number of calls at the same time, and the other calls wait', async () => {
    const { key } = await service.fixtures.portfolio();
    isHolding = true;
    const streams = Array.from({ length: 4 }, () =>
      stream(Array(10).fill('companies.list'), { key }),
    );
    await expect.poll(() => held).toHaveLength(30);
    // A request without a stream also waits for its turn.
    const single = createClient(httpBatchLink, key).companies.list.query();
    expect((await service.get('/v1/reports', made.key)).status).toBe(501);
    expect(held).toHaveLength(30);
    letGo();
    expect(await single).toHaveLength(1);
    const answers = await Promise.all(streams.map(({ response }) => response));
    for (const answer of answers) expect(readStream(await textOf(answer))).toHaveLength(10);
  });

  it('don’t delay other keys if their client stops reading, and are complete when it continues', async () => {
    const { company, key } = await service.fixtures.readablePortfolio();
    const [cash] = sampleData(company.id);
    const longest = Array.from({ length: 1_500 }, (_, day) => {
      const period = new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10);
      return { ...cash, period, as_of: `${period}T23:59:59Z` };
    });
    await importLines(service.operator, longest);
    const inputs = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [
        index,
        { companyId: company.id, key: 'cash_balance' },
      ]),
    );
    const names = Array(8).fill('metrics.history');
    const untaken = Array.from({ length: 4 }, () => stream(names, { key, inputs }));
    for (const { response } of untaken) (await response).pause();
    expect(await createClient(httpBatchLink, made.key).companies.list.query()).not.toEqual([]);
    const [first = expect.unreachable(), ...others] = untaken;
    for (const { sent } of others) sent.destroy();
    expect(readStream(await textOf(await first.response))).toHaveLength(8);
  });

  it('let the next stream run when their client disconnects', async () => {
    const { key } = await service.fixtures.portfolio();
    isHolding = true;
    const streams = Array.from({ length: 3 }, () =>
      stream(Array(10).fill('companies.list'), { key }),
    );
    await expect.poll(() => held).toHaveLength(30);
    for (const { sent } of streams) sent.destroy();
    const next = stream(Array(10).fill('companies.list'), { key });
    await expect.poll(() => held).toHaveLength(40);
    letGo();
    expect(readStream(await textOf(await next.response))).toHaveLength(10);
  });
});

it('a stream that has begun is completed when the service stops', async () => {
  const own = await startService({
    storage: { memory: true },
    interpose: (useCases) => ({
      ...useCases,
      async listPortfolio(...asked) {
        await new Promise<void>((resolve) => held.push(resolve));
        return useCases.listPortfolio(...asked);
      },
    }),
  });
  try {
    const { key } = await own.fixtures.portfolio();
    const sent = http.get(`${own.url}/trpc/accessRequests.list,companies.list?batch=1`, {
      agent: new http.Agent({ keepAlive: true }),
      headers: { 'trpc-accept': 'application/jsonl', authorization: `Bearer ${key}` },
    });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const warn = vi.fn();
    const stopped = drain(own.app, { warn });
    await expect.poll(() => !own.app.server.listening).toBe(true);
    letGo();
    expect(readStream(await textOf(response))).toHaveLength(2);
    await stopped;
    expect(warn).not.toHaveBeenCalled();
  } finally {
    await own.close();
  }
});
