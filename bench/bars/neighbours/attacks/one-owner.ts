import { setTimeout } from 'node:timers/promises';
import { type Attack, answered, happened, isAtMost, type World } from '../attack.ts';
import { createCompanyKeys, pointsOfKey } from '../parties.ts';
import { get } from '../requests.ts';

const keys = 5;
const streamsOfProcess = 100;
const keptForNewcomers = streamsOfProcess / 10;
const sse = { accept: 'text/event-stream' };

let companyKeys: readonly string[] = [];
let isNewcomerServed = false;

/**
 * Creates the keys of a company. Each attack needs a different company, because Redis keeps the used points of a
 * company even if the service starts again.
 */
const prepareFor =
  (company: number) =>
  async ({ databaseUrl, parties: [{ companies }] }: World): Promise<void> => {
    companyKeys = await createCompanyKeys(databaseUrl, companies[company] as string, keys);
  };

export const manyStreams: Attack = {
  name: 'streams',
  what: `Twice as many event streams as a process holds (${streamsOfProcess}), by ${keys} keys of one company; then an investor opens one.`,
  environment: { STREAMS_MAX: String(streamsOfProcess) },
  prepare: prepareFor(0),
  crews: () => [
    {
      name: 'streams',
      requests: companyKeys.map((key) => ({ ...get('/company/v1/events', key), headers: sse })),
      connections: 2 * streamsOfProcess,
      maxRequests: 2 * streamsOfProcess,
      isStream: true,
    },
  ],
  async begin({ port, parties: [, { key: newcomer }] }) {
    const open = async (path: string, key = '') => {
      const leaving = new AbortController();
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { ...sse, authorization: `Bearer ${key}` },
        signal: leaving.signal,
      });
      leaving.abort();
      return status;
    };
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await open('/company/v1/events', companyKeys[0])) === 503) break;
      await setTimeout(20);
    }
    isNewcomerServed = (await open('/v1/events', newcomer)) === 200;
  },
  judge(outcome) {
    const open = answered(outcome, 'streams', 200);
    return [
      happened('streams that were refused', answered(outcome, 'streams', 503)),
      isAtMost('streams of the company', open, streamsOfProcess - keptForNewcomers),
      happened('stream of an investor that had none', isNewcomerServed ? 1 : 0),
    ];
  },
};

export const companyBudget: Attack = {
  name: 'company-budget',
  what: `Calls of one company by ${keys} keys, each as often as one budget allows, in 64 loops that go on past it.`,
  environment: { RATE_LIMIT_POINTS: String(pointsOfKey) },
  prepare: prepareFor(1),
  crews: () => [
    {
      name: 'calls',
      requests: companyKeys.map((key) => get('/company/v1/access-requests/ar_none', key)),
      connections: 64,
      // Sends more HTTP requests than the rate limit allows, even in a smoke run.
      maxRequests: keys * pointsOfKey,
      isStubborn: true,
    },
  ],
  judge: (outcome) => [
    happened('calls that were refused', answered(outcome, 'calls', 429)),
    isAtMost('calls that the limiter let pass', answered(outcome, 'calls', 404), pointsOfKey),
  ],
};
