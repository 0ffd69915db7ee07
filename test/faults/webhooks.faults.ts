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
import { FailingReceiver } from './support/failing-receiver.ts';
import { rounds } from './support/rounds.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: webhooks past a kill -9: ${whyNot}`);

const kills = rounds(2);
const transitions = kills * 20;
const companyCount = 4;

interface Company {
  readonly id: string;
  readonly key: string;
}

describe.skipIf(whyNot !== null)('two processes, one of which is killed again and again', () => {
  let database: FreshDatabase;
  let key: string;
  const receiver = new FailingReceiver();
  const companies: Company[] = [];
  const services: RunningService[] = [];

  const environment = () => ({
    DATABASE_URL: database.url,
    SIGNING_KEY_FILE: inject('signingKeyFile'),
    RATE_LIMIT_POINTS: '1000000',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    WEBHOOK_RETRY_SECONDS: Array.from({ length: 60 }, () => '1').join(','),
  });

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    await receiver.listen(0);
    await asOperator(
      database.url,
      async ({ operator, fixtures }) => {
        const investor = await fixtures.investor();
        key = (await fixtures.key(investor, { rateLimit: 1_000_000 })).key;
        const listen = async (
          owner: { companyId: string } | { investorId: string },
          path: string,
        ) => {
          const { secret } = await operator.addWebhook({ ...owner, url: receiver.url + path });
          receiver.secrets.set(path, secret);
        };
        await listen({ investorId: investor.id }, '/investor');
        for (let count = 0; count < companyCount; count += 1) {
          const { id } = await fixtures.company();
          await operator.addToPortfolio({ investorId: investor.id, companyId: id });
          companies.push({ id, key: (await fixtures.companyKey(id)).key });
          await listen({ companyId: id }, `/company/${id}`);
        }
      },
      environment(),
    );
  });
  afterAll(async () => {
    killLeftovers();
    receiver.close();
    await database?.drop();
  });

  test('deliver every change although the receiver sometimes fails, and both sides get the events in one order', async () => {
    services.push(
      await startServiceProcess(environment()),
      await startServiceProcess(environment()),
    );
    let made = 0;
    let killed = 0;
    const isOver = () => made >= transitions && killed >= kills;
    /** Returns false if the next change must wait for a kill, so that some changes follow each kill. */
    const mayGoOn = () => made < ((killed + 1) / (kills + 1)) * transitions || killed >= kills;
    const driving = companies.map(async (company) => {
      while (!isOver()) {
        if (!mayGoOn()) await wait(20);
        else if (await transit(company).catch(() => false)) made += 1;
      }
    });
    while (killed < kills) {
      await wait(randomInt(500));
      const [victim] = services.splice(randomInt(2), 1);
      await victim?.stop('SIGKILL');
      killed += 1;
      if (killed === Math.ceil(kills / 2)) await receiver.restart();
      services.push(await startServiceProcess(environment()));
    }
    await Promise.all(driving);

    const events = await readEvents();
    const expected = new Set(
      events.flatMap(({ id, companyId }) => [`/investor ${id}`, `/company/${companyId} ${id}`]),
    );
    await receiver.settle(expected.size);
    const { bodies, calls } = receiver;
    console.log(`${killed} kills: ${JSON.stringify({ transitions: events.length, ...calls })}`);
    expect(new Set(bodies.keys())).toEqual(expected);
    expect(calls.changed).toBe(0);
    expect(events.length).toBeGreaterThanOrEqual(transitions);
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));

    expect(await readFeed('/v1/events', key)).toEqual(events.map(({ id }) => id));
    for (const company of companies) {
      const own = events.filter(({ companyId }) => companyId === company.id);
      expect(await readFeed('/company/v1/events', company.key)).toEqual(own.map(({ id }) => id));
    }
  });

  /** Changes the newest access request through either process. */
  async function transit(company: Company): Promise<boolean> {
    const asked = await ask('/v1/access-requests', key, {
      ...{ company_id: company.id, scopes: ['metrics:read'] },
    });
    if (asked.status === 201) return true;
    const { id, status } = asked.body;
    const step = status === 'approved' ? 'revoke' : randomInt(2) === 0 ? 'approve' : 'decline';
    const path = `/company/v1/access-requests/${id}/${step}`;
    return (await ask(path, company.key, {})).status === 200;
  }

  async function ask(path: string, secret: string, body?: object) {
    const url = services[randomInt(services.length)]?.url;
    const answer = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5_000),
    });
    return { status: answer.status, body: await answer.json() };
  }

  function readEvents(): Promise<{ id: string; companyId: string; position: number }[]> {
    return withClient(database.url, async (client) => {
      await client.query('select number_access_events()');
      const { rows } = await client.query(
        `select id, company_id as "companyId", position::int from access_event order by position`,
      );
      return rows as { id: string; companyId: string; position: number }[];
    });
  }

  async function readFeed(path: string, secret: string): Promise<string[]> {
    const read: string[] = [];
    for (;;) {
      const after = read.length > 0 ? `&after=${read.at(-1)}` : '';
      const { data } = (await ask(`${path}?limit=100${after}`, secret)).body;
      if (data.length === 0) return read;
      read.push(...data.map(({ id }: { id: string }) => id));
    }
  }
});
