import { expect, inject } from 'vitest';
import { createHttpClient } from '../../support/http-client.ts';
import { type RunningService, startServiceProcess } from '../../support/processes.ts';
import { findContradictions, findLostRequests, findUnrecorded } from './books.ts';
import {
  asOperator,
  type Consent,
  callsOf,
  createPair,
  createRequester,
  type PairCall,
} from './consents.ts';
import { countStatuses, type Outcome, startTraffic, statusOf } from './traffic.ts';
import { until } from './until.ts';

/** The maximum duration of any answer, and of the recovery after a fault. */
const answerMilliseconds = 4_000;
const recoveryMilliseconds = 5_000;

/**
 * A service whose database server the test breaks, pairs that investors can read, and an investor
 * that can request access.
 */
export interface World {
  readonly service: RunningService;
  /** The server's direct address. The service may use a proxy instead. */
  readonly databaseUrl: string;
  readonly pairs: readonly Consent[];
  readonly requester: { readonly key: string; readonly companies: string[] };
}

interface WorldOptions {
  readonly databaseUrl: string;
  readonly serviceUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function openWorld({
  databaseUrl,
  serviceUrl = databaseUrl,
  environment,
}: WorldOptions): Promise<World> {
  const made = await asOperator(databaseUrl, async (side) => ({
    pairs: [await createPair(side), await createPair(side)],
    requester: await createRequester(side, 500),
  }));
  const service = await startServiceProcess({
    DATABASE_URL: serviceUrl,
    SIGNING_KEY_FILE: inject('signingKeyFile'),
    RATE_LIMIT_POINTS: '1000000',
    ...environment,
  });
  return { service, databaseUrl, ...made };
}

function startReading({ service, pairs }: World, callers = 8) {
  const calls = pairs.flatMap(callsOf);
  let position = 0;
  return startTraffic<PairCall>(service.url, callers, () => {
    position = (position + 1) % calls.length;
    return calls[position] ?? null;
  });
}

/** Sends access requests, each to a different company, until it is stopped. */
export function startRequesting({ service, requester }: World, callers = 2) {
  return startTraffic(service.url, callers, () => {
    const company_id = requester.companies.shift();
    if (company_id === undefined) return null;
    const body = { company_id, scopes: ['metrics:read'] };
    return { method: 'POST', path: '/v1/access-requests', key: requester.key, body };
  });
}

interface Fault {
  readonly begin: () => Promise<unknown> | unknown;
  /** Resolves when the broken part works again. */
  readonly end: () => Promise<unknown> | unknown;
  readonly isFelt?: (outcome: Outcome<PairCall>) => boolean;
  readonly felt?: number;
  /** True if the service can't serve any call during the fault. */
  readonly isTotal?: boolean;
  readonly meanwhile?: () => Promise<unknown>;
}

const isRefused = (outcome: Outcome): boolean => statusOf(outcome) === 503;

/**
 * Causes a fault under load, and checks the service. Every answer is correct, or a 503 in time. No
 * connection breaks. The service recovers without help. Acknowledged writes are stored. Each read
 * has an access record.
 */
export async function surviveFault(name: string, world: World, fault: Fault): Promise<void> {
  const { databaseUrl, service } = world;
  const reading = startReading(world);
  const asking = startRequesting(world);
  await reading.more(100);

  await fault.begin();
  const begunAt = performance.now();
  await reading.more(fault.felt ?? 50, fault.isFelt ?? isRefused);
  await fault.meanwhile?.();
  const untilNow = performance.now();
  await fault.end();
  const endedAt = performance.now();
  const isBack = (outcome: Outcome<PairCall>) =>
    outcome.sentAt > endedAt && outcome.call.kind === 'data' && statusOf(outcome) === 200;
  await reading.more(20, isBack);
  const back = reading.outcomes.find(isBack);
  const [reads, writes] = await Promise.all([reading.stop(), asking.stop()]);

  const all = [...reads, ...writes];
  const seen = {
    answers: countStatuses(all),
    slowest: Math.round(Math.max(...all.map(({ sentAt, endedAt: end }) => end - sentAt))),
    backAfter: Math.round((back?.endedAt ?? Number.NaN) - endedAt),
    acknowledged: writes.filter((write) => statusOf(write) === 201).length,
  };
  console.log(`${name}: ${JSON.stringify(seen)}`);
  expectForeseen(all);
  if (fault.isTotal === true) {
    const during = all.filter(({ sentAt, endedAt: end }) => sentAt > begunAt && end < untilNow);
    expect(Object.keys(countStatuses(during))).toEqual(['503']);
  }
  expect(seen.slowest).toBeLessThan(answerMilliseconds);
  expect(seen.backAfter).toBeLessThan(recoveryMilliseconds);
  expect(await findUnrecorded(databaseUrl, reads.filter(isDataRead))).toEqual([]);
  expect(await findLostRequests(databaseUrl, writes)).toEqual([]);
  expect(await findContradictions(databaseUrl)).toEqual([]);
  expect(service.child.exitCode).toBe(null);
  await until(async () => (await readiness(service)).status === 200, recoveryMilliseconds);
}

function expectForeseen(outcomes: readonly Outcome[]): void {
  const broken = outcomes.filter(({ answer }) => answer === null);
  expect(broken.map(({ error }) => String(error))).toEqual([]);
  const answered = outcomes.filter((outcome) => ![200, 201].includes(statusOf(outcome)));
  for (const { answer } of answered) {
    expect(answer?.status, answer?.text).toBe(503);
    expect(answer?.text).toContain('service_unavailable');
    expect(Number(answer?.headers['retry-after'])).toBeGreaterThan(0);
  }
}

/** True for a read of one company's data with REST or tRPC. Failed reads in GraphQL have the status 200. */
export const isDataRead = ({ call }: Outcome<PairCall>): boolean =>
  call.kind === 'data' && call.path !== '/graphql';

export async function readiness({ url }: RunningService) {
  const client = createHttpClient(url);
  try {
    return await client.call('GET', '/readyz');
  } finally {
    client.close();
  }
}
