import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { spawnCli, startCli } from '../cli/spawn.ts';
import { type Receiver, startReceiver } from '../gateway/webhooks/receiver.ts';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
  withClient,
} from '../support/databases.ts';
import { importLines } from '../support/fixtures.ts';
import type { OperatorSide } from '../support/operator.ts';
import { killLeftovers, startServiceProcess } from '../support/processes.ts';
import { type Actor, following, type Step, stepOf, take, written } from './support/actors.ts';
import { findContradictions, findLostRequests } from './support/books.ts';
import { asOperator, createPair, createRequester } from './support/consents.ts';
import { startRequesting } from './support/outage.ts';
import { rounds } from './support/rounds.ts';
import { startTraffic, statusOf } from './support/traffic.ts';
import { until } from './support/until.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null)
  console.error(`SKIPPED: the service killed in the middle of its work: ${whyNot}`);

afterAll(killLeftovers);

const day = 86_400_000;

const aMetric = (companyId: string, index: number) => ({
  type: 'metric',
  company_id: companyId,
  key: 'cash_balance',
  currency: 'USD',
  period: new Date(index * day).toISOString().slice(0, 10),
  source: { system: 'Mercury', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
  raw_value: index,
});

describe.skipIf(whyNot !== null)('a process that is killed in the middle of its work', () => {
  let database: FreshDatabase;
  let receiver: Receiver;
  const received = new Set<string>();

  const query = (text: string, values: unknown[] = []) =>
    withClient(database.url, async (client) => (await client.query(text, values)).rows);

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    receiver = await startReceiver(({ headers }, response) => {
      received.add(String(headers['webhook-id']));
      response.writeHead(204).end();
    });
  });
  afterAll(async () => {
    await receiver?.close();
    await database?.drop();
  });

  const environment = () => ({
    DATABASE_URL: database.url,
    SIGNING_KEY_FILE: inject('signingKeyFile'),
    RATE_LIMIT_POINTS: '1000000',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    WEBHOOK_RETRY_SECONDS: '0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0',
  });

  test('has stored every acknowledged change completely and only once, and its webhook event is sent', async () => {
    const prepare = async (side: OperatorSide) => {
      const made: Actor[] = [];
      for (let count = 0; count < 4; count += 1) {
        const pair = await createPair(side);
        const { companyId } = pair;
        await side.operator.revokeAccessRequest({ id: pair.requestId });
        await side.operator.addWebhook({ companyId, url: receiver.url });
        made.push({ ...pair, acknowledged: [], next: 'ask' });
      }
      return { actors: made, requester: await createRequester(side, 2_000) };
    };
    const { actors, requester } = await asOperator(database.url, prepare, environment());
    const begun = await query('select max(number) as number from access_event');
    let acknowledged = 0;

    for (let round = 1; round <= rounds(5); round += 1) {
      for (const actor of actors) await resume(actor);
      const service = await startServiceProcess(environment());
      const world = { service, databaseUrl: database.url, pairs: [], requester };
      const asking = startRequesting(world, 4);
      const deciding = startTraffic<Step>(
        service.url,
        actors.length,
        (caller) => stepOf(actors[caller] as Actor),
        { onOutcome: take },
      );
      await Promise.all([asking.more(20), deciding.more(20 + randomInt(20))]);
      service.child.kill('SIGKILL');
      await service.exited;
      const [writes, steps] = await Promise.all([asking.stop(), deciding.stop()]);
      acknowledged += [...writes, ...steps].filter(
        (write) => statusOf(write) in { 200: 1, 201: 1 },
      ).length;
      expect(await findLostRequests(database.url, writes)).toEqual([]);
      expect(await findContradictions(database.url)).toEqual([]);
    }

    const last = await startServiceProcess(environment());
    const events = await query(
      `select id from access_event where company_id = any($1) and number > $2`,
      [actors.map(({ companyId }) => companyId), begun[0]?.number],
    );
    await until(async () => {
      // The time limit of the killed process's claims would take too long.
      await query('update webhook_endpoint set due_at = now() where claim_id is not null');
      return events.every(({ id }) => received.has(String(id)));
    });
    await last.stop();
    console.log(
      `killed ${rounds(5)} times: ${JSON.stringify({ acknowledged, events: events.length })}`,
    );
  });

  /** Checks that all acknowledged changes are stored in order. The answer to one further change may be lost. */
  async function resume(actor: Actor): Promise<void> {
    const events = await query(
      `select type, access_request_id as "requestId" from access_event
        where company_id = $1 and access_request_id is not null order by number offset 3`,
      [actor.companyId],
    );
    const types = events.map(({ type }) => String(type).replace('access_request.', ''));
    expect(types.slice(0, actor.acknowledged.length)).toEqual(actor.acknowledged);
    expect(types.length - actor.acknowledged.length).toBeLessThanOrEqual(1);
    if (types.length === actor.acknowledged.length) return;
    actor.acknowledged.push(written[actor.next]);
    actor.requestId = String(events.at(-1)?.requestId);
    actor.next = following[actor.next];
  }

  test('signs each unsigned value exactly once', async () => {
    await asOperator(database.url, async ({ fixtures, operator }) => {
      const { id } = await fixtures.company();
      await importLines(
        operator,
        Array.from({ length: 20_000 }, (_, index) => aMetric(id, index)),
      );
    });
    const countUnsigned = async () =>
      Number(
        (await query('select count(*) as count from metric_point where signature is null'))[0]
          ?.count,
      );
    const total = await countUnsigned();
    expect(total).toBeGreaterThanOrEqual(20_000);
    const env = environment();
    for (let left = total, round = 0; round < rounds(5); round += 1) {
      const child = startCli(['sign', '--missing', '--yes'], { env });
      const ended = once(child, 'close');
      await until(async () => (await countUnsigned()) < left);
      child.kill('SIGKILL');
      await ended;
      left = await countUnsigned();
    }
    const { stdout } = await spawnCli(['sign', '--missing', '--yes'], { env });
    expect(stdout).toContain('signed');
    expect(await countUnsigned()).toBe(0);
  });
});
