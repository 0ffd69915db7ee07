import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
  withClient,
} from '../support/databases.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { asOperator } from './support/consents.ts';
import { rounds } from './support/rounds.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: kills in the middle of pushes: ${whyNot}`);

afterAll(killLeftovers);

const day = 86_400_000;
const minute = 60_000;
const valuesOfPush = 5;
const pausedMilliseconds = 25;

/** A company that sends pushes one by one, each to both processes at once. */
interface Pusher {
  readonly companyId: string;
  readonly key: string;
  readonly acknowledged: Json[];
}

interface Json {
  readonly [name: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly body: Json;
}

const periodOf = (push: number) => new Date(push * day).toISOString().slice(0, 10);

/** Returns values for a period of this push alone, and one value that every push changes. */
function recordsOf(push: number): object[] {
  const metric = (key: string, period: string) => ({
    type: 'metric',
    key,
    period,
    source: { system: 'Ledger', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
    raw_value: push,
  });
  const own = Array.from({ length: valuesOfPush }, (_, index) =>
    metric(`value_${index}`, periodOf(push)),
  );
  return [...own, metric('last', '2026-01-31')];
}

/** Returns null if the process doesn't answer. */
async function send(
  { url }: Pick<RunningService, 'url'>,
  { key }: Pusher,
  push: number,
): Promise<Answer | null> {
  try {
    const response = await fetch(`${url}/company/v1/data`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `push ${push}`,
      },
      body: JSON.stringify({ records: recordsOf(push) }),
    });
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, isReplayed, body: (await response.json()) as Json };
  } catch {
    return null;
  }
}

describe.skipIf(whyNot !== null)('two processes, one of which is killed during pushes', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
  });
  afterAll(() => database?.drop());

  const query = (text: string, values: unknown[] = []) =>
    withClient(database.url, async (client) => (await client.query(text, values)).rows);

  const start = () =>
    startServiceProcess({
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
    });

  const preparePushers = () =>
    asOperator(database.url, async ({ fixtures, operator }) => {
      const pushers: Pusher[] = [];
      for (let count = 0; count < 3; count += 1) {
        const { id: companyId } = await fixtures.company();
        const { secret } = await operator.createCompanyKey({ companyId, scopes: ['data:write'] });
        pushers.push({ companyId, key: secret, acknowledged: [] });
      }
      return pushers;
    });

  test(
    'store each acknowledged push completely and only once, with one event, although both get it',
    async () => {
      const pushers = await preparePushers();
      const services = [await start(), await start()];
      let isStopping = false;
      let acknowledged = 0;

      async function keepPushing(pusher: Pusher): Promise<void> {
        while (!isStopping) {
          const number = pusher.acknowledged.length;
          const answers = await Promise.all(
            services.map((service) => send(service, pusher, number)),
          );
          const taken = answers.flatMap((answer) => (answer?.status === 200 ? [answer] : []));
          const [first] = taken;
          if (first === undefined) {
            await wait(pausedMilliseconds);
            continue;
          }
          for (const { body } of taken) expect(body).toEqual(first.body);
          expect(taken.filter(({ isReplayed }) => !isReplayed).length).toBeLessThanOrEqual(1);
          pusher.acknowledged.push(first.body);
          acknowledged += 1;
        }
      }

      const pushing = Promise.all(pushers.map(keepPushing));
      for (let round = 1; round <= rounds(5); round += 1) {
        const before = acknowledged;
        await expect.poll(() => acknowledged, { timeout: 20_000 }).toBeGreaterThan(before + 3);
        await wait(randomInt(20));
        const place = randomInt(services.length);
        const killed = services[place] as RunningService;
        killed.child.kill('SIGKILL');
        await killed.exited;
        services[place] = await start();
      }
      isStopping = true;
      await pushing;

      async function expectWhole(pusher: Pusher): Promise<void> {
        const pushes = pusher.acknowledged.length;
        expect(pushes).toBeGreaterThan(0);
        const values = await query(
          `select period::text as period, count(*)::int as count, max(revision) as revision,
            bool_and(signature is not null) as signed, min(raw_value)::int as least,
            max(raw_value)::int as most
          from metric_point join metric_series on id = series_id
          where company_id = $1 and key like 'value_%' group by period order by period`,
          [pusher.companyId],
        );
        const whole = (number: number) => ({
          period: periodOf(number),
          count: valuesOfPush,
          revision: 1,
          signed: true,
          least: number,
          most: number,
        });
        // One further push may be stored without an answer.
        const isOneMore = values.length === pushes + 1;
        const carriedOut = pushes + (isOneMore ? 1 : 0);
        expect(values).toEqual(Array.from({ length: carriedOut }, (_, number) => whole(number)));

        const revisionOfLast = async () =>
          query(
            `select revision, raw_value::int as value from metric_point
            join metric_series on id = series_id where company_id = $1 and key = 'last'`,
            [pusher.companyId],
          );
        const last = [{ revision: carriedOut, value: carriedOut - 1 }];
        expect(await revisionOfLast()).toEqual(last);
        // An earlier push must not run again after a later one, because it would restore an older value.
        for (const [number, body] of pusher.acknowledged.entries()) {
          const again = await send(services[number % 2] as RunningService, pusher, number);
          expect(again).toEqual({ status: 200, isReplayed: true, body });
        }
        expect(await revisionOfLast()).toEqual(last);
        // Each stored push has one event with its own position, in the order of the data versions.
        const events = await query(
          `select type, data->>'dataVersion' as version, jsonb_array_length(data->'metricKeys') as keys
          from access_event where company_id = $1 and position is not null order by position`,
          [pusher.companyId],
        );
        const versions = events.map(({ version }) => String(version));
        expect(events).toEqual(
          versions.map((version) => ({
            type: 'company_data.updated',
            version,
            keys: valuesOfPush + 1,
          })),
        );
        expect(versions).toHaveLength(carriedOut);
        expect(versions.slice(0, pushes)).toEqual(
          pusher.acknowledged.map(({ data_version }) => data_version),
        );
        expect(new Set(versions).size).toBe(carriedOut);
      }
      await Promise.all(pushers.map(expectWhole));
      const all = pushers.reduce((sum, pusher) => sum + pusher.acknowledged.length, 0);
      console.log(
        `${rounds(5)} kills: ${all} acknowledged pushes, each sent to both and once more, are there once`,
      );
    },
    rounds(5) * minute + 5 * minute,
  );
});
