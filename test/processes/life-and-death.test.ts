import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswerRules } from '../support/answer-rules.ts';
import { embedded, postgres } from '../support/backends.ts';
import { withClient } from '../support/databases.ts';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { openOperatorSide } from '../support/operator.ts';
import {
  killLeftovers,
  type RunningService,
  serveCommand,
  startProcess,
  startServiceProcess,
} from '../support/processes.ts';

afterAll(killLeftovers);

const publicUrl = 'https://access.example';
const path = '/v1/access-requests';

const clientOf = ({ url }: RunningService) =>
  createHttpClient(url, (answer) => checkAnswerRules(answer, publicUrl));

/** Until nothing accepts a connection there. */
async function untilRefused(url: string): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = net.connect({ host, port: Number(port) }, () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  while (await accepts());
}

describe.skipIf(postgres.isUnreachable)(`a process on ${postgres.name}`, () => {
  let databaseUrl: string;
  let release: () => Promise<void>;

  beforeAll(async () => {
    const opened = await postgres.open();
    release = opened.release;
    databaseUrl = 'databaseUrl' in opened.storage ? opened.storage.databaseUrl : '';
  });
  afterAll(() => release?.());

  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const connected = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  const count = (query: string) =>
    withClient(databaseUrl, async (client) => (await client.query(query)).rows[0]?.count as number);

  async function fixture() {
    const side = await openOperatorSide({ DATABASE_URL: databaseUrl });
    const made = await side.fixtures.portfolio();
    await side.close();
    return made;
  }

  it.each([
    ['node', undefined],
    ['npm start', ['npm', 'start']],
    ['portfolio-access serve', serveCommand],
  ] as const)(
    'told to stop (%s), it finishes what runs, accepts nothing new, lets go of the database and ends with 0',
    async (_name, command) => {
      const environment = { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl };
      const service = await startServiceProcess(environment, command);
      const { company, key } = await fixture();
      const client = clientOf(service);
      const body = { company_id: company.id, scopes: ['metrics:read'] };

      const answer = await withClient(databaseUrl, async (blocker) => {
        await blocker.query('begin');
        // What only reads goes on: the sweeper must not be taken for the request.
        await blocker.query('lock table access_request in exclusive mode');
        const asked = client.call('POST', path, { key, body });
        while ((await blocker.query(waiting)).rows[0]?.count === 0);
        service.child.kill('SIGTERM');
        await service.waitFor(/"msg":"stopping"/);
        await untilRefused(service.url);
        await blocker.query('rollback');
        return asked;
      });
      expectOk(answer, 201);
      client.close();
      expect(await service.exited).toEqual({ code: 0, signal: null });
      expect(service.output()).toMatch(/"msg":"stopped"/);
      expect(service.output()).not.toContain(key);
      expect(await count(connected)).toBe(0);
    },
    30_000,
  );

  describe('as long as it runs', () => {
    let service: RunningService;

    beforeAll(async () => {
      const LOG_LEVEL = 'trace';
      const environment = { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, LOG_LEVEL };
      service = await startServiceProcess(environment);
    });
    afterAll(killLeftovers);

    it('what it logs about a request holds no key, no body and no query', async () => {
      const { company, key } = await fixture();
      const client = clientOf(service);
      const body = {
        company_id: company.id,
        scopes: ['metrics:read'],
        purpose: 'a-private-purpose',
      };
      const headers = {
        'idempotency-key': 'a-private-idempotency-key',
        cookie: 'a-private-cookie=1',
      };
      await client.call('POST', path, { key, body, headers });
      await client.call('POST', path, {
        key,
        raw: '{"a-private-body',
        headers: { 'content-type': 'application/json' },
      });
      await client.call('GET', `${path}?status=a-private-query`, { key });
      await client.call('GET', `/v1/companies/${key}/metrics?key=${key}`, { key });
      await client.call('GET', `/${key}`);
      await client.call('GET', '/v1/companies', { key: `${key}x` });
      client.close();
      const lines = () =>
        service
          .output()
          .split('\n')
          .filter((line) => line.includes('"msg":"request"'));
      await expect.poll(() => lines().length).toBe(6);
      expect(service.output()).not.toContain(key.slice('svc_sk_live_'.length));
      expect(service.output()).not.toContain('a-private-');
    });

    it('tells in its readiness when the database becomes newer or older while it runs', async () => {
      const query = (text: string) => withClient(databaseUrl, (client) => client.query(text));
      const ready = async () => {
        const answer = await fetch(`${service.url}/readyz`);
        return { status: answer.status, body: await answer.json() };
      };
      expect(await ready()).toMatchObject({ status: 200, body: { database: 'ok' } });
      await query(`insert into mikro_orm_migrations (name) values ('29991231-later')`);
      expect(await ready()).toMatchObject({
        status: 200,
        body: { status: 'degraded', database: 'newer' },
      });
      await query(`delete from mikro_orm_migrations
      where name in ('29991231-later', '20261105-write-check')`);
      expect(await ready()).toMatchObject({ status: 503, body: { database: 'not_migrated' } });
      await query(`insert into mikro_orm_migrations (name) values ('20261105-write-check')`);
      expect(await ready()).toMatchObject({ status: 200, body: { database: 'ok' } });
    });

    it('SIGINT stops it as SIGTERM does', async () => {
      expect(await service.stop('SIGINT')).toEqual({ code: 0, signal: null });
    });
  });

  it('a database that is not there is told in words, without the password', async () => {
    const started = startProcess({ DATABASE_URL: 'postgres://someone:a-secret@127.0.0.1:1/none' });
    const { code } = await started.exited;
    expect(code).toBeGreaterThan(0);
    expect(started.output()).not.toContain('a-secret');
    expect(started.output().trim()).not.toBe('');
  });
});

describe('a process on the embedded database', () => {
  it('killed in the middle of its work, it has lost nothing that it had confirmed', async () => {
    const { storage, release } = await embedded.open();
    const environment = {
      DATA_DIR: 'dataDir' in storage ? storage.dataDir : '',
      PUBLIC_URL: publicUrl,
      RATE_LIMIT_POINTS: '1000000',
    };
    const first = await startServiceProcess(environment);
    const side = await openOperatorSide(environment);
    const investor = await side.fixtures.investor();
    const { key } = await side.fixtures.key(investor);
    const companies: string[] = [];
    for (let made = 0; made < 40; made += 1) {
      companies.push((await side.fixtures.companyOf(investor)).id);
    }
    await side.close();

    const client = clientOf(first);
    const confirmed: string[] = [];
    for (const companyId of companies) {
      const body = { company_id: companyId, scopes: ['metrics:read'] };
      const asked = client.call('POST', path, { key, body }).catch(() => null);
      // The last one is under way when the process dies.
      if (confirmed.length === 25) first.child.kill('SIGKILL');
      const answer = await asked;
      if (answer === null) break;
      expectOk(answer, 201);
      confirmed.push(answer.body.id);
    }
    client.close();
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(confirmed.length).toBeGreaterThanOrEqual(25);

    const second = await startServiceProcess(environment);
    const again = clientOf(second);
    const { body } = await again.call('GET', path, { key });
    const found = body.data.map(({ id }: { id: string }) => id);
    expect(found).toEqual(expect.arrayContaining(confirmed));
    const last = companies.at(-1);
    expectOk(
      await again.call('POST', path, { key, body: { company_id: last, scopes: ['metrics:read'] } }),
      201,
    );
    again.close();
    expect(await second.stop()).toEqual({ code: 0, signal: null });
    await release();
  });

  it('a second service on the same data folder is refused in words, and the first goes on', async () => {
    const { storage, release } = await embedded.open();
    const dataDir = 'dataDir' in storage ? storage.dataDir : '';
    const environment = { DATA_DIR: dataDir, PUBLIC_URL: publicUrl };
    const first = await startServiceProcess(environment);
    const second = startProcess(environment);
    const { code } = await second.exited;
    expect(code).toBeGreaterThan(0);
    expect(second.output()).toContain(dataDir);
    expect(second.output()).toMatch(/in use/i);
    expect(second.output()).not.toMatch(/\n\s+at /);
    const client = clientOf(first);
    const ready = await client.call('GET', '/readyz');
    expectOk(ready);
    client.close();
    expect(await first.stop()).toEqual({ code: 0, signal: null });

    const third = await startServiceProcess(environment);
    expect(await third.stop()).toEqual({ code: 0, signal: null });
    await release();
  });
});

describe('the configuration', () => {
  it('tells every mistake at once, each by name, and ends with a failure', async () => {
    const wrong = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://someone:a-secret@localhost/db',
      REDIS_URL: 'localhost:6379',
      PUBLIC_URL: 'access.example',
      RATE_LIMIT_POINTS: '0',
      RATE_LIMIT_WINDOW_SECONDS: '-1',
      PENDING_TTL_DAYS: '1.5',
      GRANT_TTL_DAYS: 'soon',
      LOG_LEVEL: 'loud',
      DEMO: 'maybe',
    };
    const started = startProcess(wrong);
    const { code } = await started.exited;
    expect(code).toBeGreaterThan(0);
    for (const name of Object.keys(wrong)) expect(started.output()).toContain(name);
    expect(started.output()).not.toContain('a-secret');
    expect(started.output()).not.toMatch(/\n\s+at /);
  });

  it('a port that is taken is told in words', async () => {
    const { storage, release } = await embedded.open();
    const taken = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.on('listening', resolve));
    const { port } = taken.address() as net.AddressInfo;
    const started = startProcess({
      DATA_DIR: 'dataDir' in storage ? storage.dataDir : '',
      PORT: String(port),
    });
    const { code } = await started.exited;
    expect(code).toBeGreaterThan(0);
    expect(started.output()).toMatch(
      new RegExp(
        `^portfolio-access could not start: cannot listen .*${port}.*; check HOST and PORT`,
      ),
    );
    expect(started.output()).not.toMatch(/\n\s+at /);
    taken.close();
    await release();
  });
});
