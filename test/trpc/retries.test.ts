import { afterEach, describe, expect, it } from 'vitest';
import { AccessError, type AccessErrorCode, type InvestorUseCases } from '#core';
import {
  createPortfolioAccessClient,
  isPortfolioAccessError,
  type PortfolioAccessClientOptions,
  type Retry,
} from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';

/** The next calls throw these errors, in this order. */
const refusals: AccessError[] = [];
let calls = 0;

function refuse(useCases: InvestorUseCases): InvestorUseCases {
  function refusing<Call extends (...given: never[]) => unknown>(call: Call): Call {
    return (async (...given: Parameters<Call>) => {
      calls += 1;
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      return call(...given);
    }) as unknown as Call;
  }
  const { listPortfolio, requestAccess } = useCases;
  return {
    ...useCases,
    listPortfolio: refusing(listPortfolio),
    requestAccess: refusing(requestAccess),
  };
}

const service = await closedAfterAll(
  startService({
    storage: { memory: true },
    environment: { RATE_LIMIT_POINTS: '600/1' },
    interpose: refuse,
  }),
);
afterEach(() => {
  refusals.length = 0;
  calls = 0;
});

const at = (code: AccessErrorCode) => new AccessError(code, { retryAfterSeconds: 0 });

interface ConnectOptions extends Pick<PortfolioAccessClientOptions, 'retries' | 'onRetry'> {
  readonly rateLimit?: number;
}

async function connect(options: ConnectOptions = {}) {
  const { rateLimit, ...settings } = options;
  const { key, company } = await service.fixtures.portfolio(rateLimit ? { rateLimit } : {});
  calls = 0;
  const client = createPortfolioAccessClient({ url: service.url, apiKey: key, ...settings });
  return { client, companyId: company.id };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (error) => error,
  );
  return isPortfolioAccessError(error) ? error.data.code : String(error);
}

describe('a temporarily refused call', () => {
  it.each(['service_unavailable', 'request_conflict', 'idempotency_key_in_use'] as const)(
    'is retried: %s',
    async (code) => {
      const { client, companyId } = await connect();
      refusals.push(at(code), at(code));
      const scopes = ['metrics:read' as const];
      const { outcome } = await client.accessRequests.create.mutate({ companyId, scopes });
      expect([outcome, calls]).toEqual(['created', 3]);
    },
  );

  it('is retried after the rate limit allows calls again', async () => {
    const { client } = await connect({ rateLimit: 1 });
    await client.companies.list.query();
    expect(await client.companies.list.query()).toHaveLength(1);
  });

  it('is retried up to the configured number of times', async () => {
    const { client } = await connect({ retries: 3 });
    refusals.push(...Array.from({ length: 9 }, () => at('service_unavailable')));
    expect(await codeOf(client.companies.list.query())).toBe('service_unavailable');
    expect(calls).toBe(4);
  });

  it('is not retried if retries are turned off', async () => {
    const { client } = await connect({ retries: 0 });
    refusals.push(at('service_unavailable'));
    expect(await codeOf(client.companies.list.query())).toBe('service_unavailable');
    expect(calls).toBe(1);
  });

  it('reports the delay, the number and the reason of each retry to a listener', async () => {
    const told: Retry[] = [];
    const { client } = await connect({ onRetry: (retry) => told.push(retry) });
    refusals.push(at('service_unavailable'), at('request_conflict'));
    await client.companies.list.query();
    expect(told).toMatchObject([
      {
        path: 'companies.list',
        attempt: 1,
        delay: 0,
        reason: { data: { code: 'service_unavailable' } },
      },
      {
        path: 'companies.list',
        attempt: 2,
        delay: 0,
        reason: { data: { code: 'request_conflict' } },
      },
    ]);
    expect(told.every(({ reason }) => isPortfolioAccessError(reason))).toBe(true);
  });

  it('reports the delay from Retry-After in milliseconds', async () => {
    const waits = Promise.withResolvers<number>();
    const { client } = await connect({ onRetry: ({ delay }) => waits.resolve(delay) });
    refusals.push(new AccessError('service_unavailable', { retryAfterSeconds: 3_600 }));
    const leaving = new AbortController();
    const call = client.companies.list.query({}, { signal: leaving.signal });
    const delay = await waits.promise;
    leaving.abort(new Error('enough'));
    expect(await codeOf(call)).toMatch(/enough/);
    expect(delay).toBeGreaterThanOrEqual(3_600_000);
    expect(delay).toBeLessThanOrEqual(3_960_000);
  });

  it('isn’t retried if the listener throws, and fails with the listener’s error', async () => {
    const { client } = await connect({
      onRetry() {
        throw new Error('no time');
      },
    });
    refusals.push(at('service_unavailable'));
    expect(await codeOf(client.companies.list.query())).toMatch(/no time/);
    expect(calls).toBe(1);
  });

  it('can be aborted during the delay', async () => {
    const { client } = await connect();
    refusals.push(new AccessError('service_unavailable', { retryAfterSeconds: 3_600 }));
    const leaving = new AbortController();
    const call = client.companies.list.query({}, { signal: leaving.signal });
    await expect.poll(() => calls).toBe(1);
    leaving.abort(new Error('enough'));
    expect(await codeOf(call)).toMatch(/enough/);
    expect(calls).toBe(1);
  });
});

it.each(['company_not_found', 'scope_conflict', 'insufficient_scope', 'internal_error'] as const)(
  'a permanently refused call is not retried: %s',
  async (code) => {
    let told = 0;
    const { client } = await connect({ onRetry: () => (told += 1) });
    refusals.push(new AccessError(code));
    expect(await codeOf(client.companies.list.query())).toBe(code);
    expect([calls, told]).toEqual([1, 0]);
  },
);

it('a call is retried if a proxy in front of the service answers with 503', async () => {
  const { key } = await service.fixtures.portfolio();
  let asked = 0;
  const client = createPortfolioAccessClient({
    url: service.url,
    apiKey: key,
    fetch(address, init) {
      asked += 1;
      if (asked > 1) return fetch(address, init);
      const headers = { 'retry-after': '0' };
      return Promise.resolve(new Response('<h1>Busy</h1>', { status: 503, headers }));
    },
  });
  expect(await client.companies.list.query()).toHaveLength(1);
});

it.each([-1, 1.5, Number.NaN])('the client refuses %s as a number of retries', (retries) => {
  expect(() => createPortfolioAccessClient({ url: service.url, apiKey: 'key', retries })).toThrow(
    'retries must be a whole number',
  );
});
