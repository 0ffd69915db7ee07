import { expect, inject } from 'vitest';
import { createHttpClient } from '../../support/http-client.ts';
import { type RunningService, startServiceProcess } from '../../support/processes.ts';
import { findContradictions, findLostRequests, findUnrecorded } from './books.ts';
import {
  asOperator,
  type Consent,
  callsOf,
  createPair,
  createStranger,
  type PairCall,
} from './consents.ts';
import { countStatuses, type Outcome, startTraffic, statusOf } from './traffic.ts';
import { until } from './until.ts';

/** How long an answer may take whatever happens, and how long after its end a fault may still be felt. */
const answerMilliseconds = 4_000;
const recoveryMilliseconds = 5_000;

/** A service with something to read and somebody to ask, on a server that will be broken. */
export interface World {
  readonly service: RunningService;
  /** Past whatever stands between the service and its database. */
  readonly databaseUrl: string;
  readonly pairs: readonly Consent[];
  readonly stranger: { readonly key: string; readonly companies: string[] };
}

interface WorldOptions {
  readonly databaseUrl: string;
  /** Where the service finds the database, when something stands between them. */
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
    stranger: await createStranger(side, 500),
  }));
  const service = await startServiceProcess({
    DATABASE_URL: serviceUrl,
    SIGNING_KEY_FILE: inject('signingKeyFile'),
    RATE_LIMIT_POINTS: '1000000',
    ...environment,
  });
  return { service, databaseUrl, ...made };
}

/** Reads of everything that can be read, again and again. */
function startReading({ service, pairs }: World, callers = 8) {
  const calls = pairs.flatMap(callsOf);
  let position = 0;
  return startTraffic<PairCall>(service.url, callers, () => {
    position = (position + 1) % calls.length;
    return calls[position] ?? null;
  });
}

/** Requests for access, each to a company that was not asked before. */
export function startAsking({ service, stranger }: World, callers = 2) {
  return startTraffic(service.url, callers, () => {
    const company_id = stranger.companies.shift();
    if (company_id === undefined) return null;
    const body = { company_id, scopes: ['metrics:read'] };
    return { method: 'POST', path: '/v1/access-requests', key: stranger.key, body };
  });
}

interface Fault {
  /** Breaks something; resolves when it is broken. */
  readonly begin: () => Promise<unknown> | unknown;
  /** Mends it; resolves when whatever was broken can be used again. */
  readonly end: () => Promise<unknown> | unknown;
  /** Which answers show that the fault was felt, and how many of them are awaited before it ends. */
  readonly isFelt?: (outcome: Outcome<PairCall>) => boolean;
  readonly felt?: number;
  /** Whether nothing at all can be served while it lasts. */
  readonly isTotal?: boolean;
  /** What else must hold while it lasts. */
  readonly meanwhile?: () => Promise<unknown>;
}

const isRefused = (outcome: Outcome): boolean => statusOf(outcome) === 503;

/**
 * Lets a fault begin and end under load. Every answer is a right one or a 503 in time, never a broken connection; the
 * service comes back by itself, what it has acknowledged is there, and each read has its record.
 */
export async function surviveFault(name: string, world: World, fault: Fault): Promise<void> {
  const { databaseUrl, service } = world;
  const reading = startReading(world);
  const asking = startAsking(world);
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

/** An answer that was served, or an outage in the words of one. */
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

/** A read of one company's data by REST or tRPC: in GraphQL an outage of the read itself is a 200 with an error. */
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
