import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswerRules } from '../support/answer-rules.ts';
import { postgres, quickest, settingsOf } from '../support/backends.ts';
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
import { isFull } from '../support/property-runs.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

afterAll(killLeftovers);

const publicUrl = 'https://access.example';
const path = '/v1/access-requests';

const clientOf = ({ url }: RunningService) =>
  createHttpClient(url, (answer) => checkAnswerRules(answer, publicUrl));

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

  // If the process stops with npm, it also stops without npm, so a quick run tests only npm start.
  const ways = [
    ['npm start', ['npm', 'start']],
    ['node', undefined],
    ['portfolio-access serve', serveCommand],
  ] as const;
  for (const [way, command] of ways) {
    it.skipIf(way !== 'npm start' && !isFull)(
      `stops on SIGTERM (${way}): finishes running requests, accepts no others, disconnects and exits with 0`,
      async () => {
        const environment = { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl };
        const service = await startServiceProcess(environment, command);
        const { company, key } = await fixture();
        const client = clientOf(service);
        const body = { company_id: company.id, scopes: ['metrics:read'] };

        const answer = await withClient(databaseUrl, async (blocker) => {
          await blocker.query('begin');
          // The lock allows reads. Otherwise the periodic sweep would wait for it, too, and look like the request.
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
        // PostgreSQL ends a session shortly after its client.
        await expect.poll(() => count(connected)).toBe(0);
      },
    );
  }

  it('logs an outage of the database in one line, and its end in another', async () => {
    const { hostname, port } = new URL(databaseUrl);
    const proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) });
    const proxied = new URL(databaseUrl);
    proxied.host = `127.0.0.1:${proxy.port}`;
    const service = await startServiceProcess({
      DATABASE_URL: proxied.href,
      PUBLIC_URL: publicUrl,
    });
    proxy.cut();
    await service.waitFor(/PostgreSQL does not answer/);
    // Webhooks, mails and the sandbox also notice the outage, but must not log it again.
    for (let call = 0; call < 5; call += 1) await fetch(`${service.url}/readyz`);
    proxy.open();
    await service.waitFor(/PostgreSQL answers again/);
    await service.stop();
    await proxy.close();
    const problems = service
      .output()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line));
    expect(problems).toEqual([expect.stringContaining('PostgreSQL does not answer')]);
  });

  describe('while it runs', () => {
    let service: RunningService;

    beforeAll(async () => {
      const LOG_LEVEL = 'trace';
      const environment = { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, LOG_LEVEL };
      service = await startServiceProcess(environment);
    });
    afterAll(killLeftovers);

    it('the log line of an HTTP request contains no key, no body and no query', async () => {
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

    it('/readyz reports when the database schema becomes newer or older than the process', async () => {
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
      where name in ('29991231-later', '20261125-14-write-check')`);
      expect(await ready()).toMatchObject({ status: 503, body: { database: 'not_migrated' } });
      await query(`insert into mikro_orm_migrations (name) values ('20261125-14-write-check')`);
      expect(await ready()).toMatchObject({ status: 200, body: { database: 'ok' } });
    });

    it('SIGINT stops the process like SIGTERM', async () => {
      expect(await service.stop('SIGINT')).toEqual({ code: 0, signal: null });
    });
  });

  it.runIf(isFull)(
    'reports an unreachable database at its start, without the password',
    async () => {
      const started = startProcess({
        DATABASE_URL: 'postgres://someone:a-secret@127.0.0.1:1/none',
      });
      const { code } = await started.exited;
      expect(code).toBeGreaterThan(0);
      expect(started.output()).not.toContain('a-secret');
      expect(started.output().trim()).not.toBe('');
    },
  );
});

describe('the configuration', () => {
  it('is checked at the start, and every mistake is reported with its variable’s name', async () => {
    const wrong = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://someone:a-secret@localhost/db',
      REDIS_URL: 'localhost:6379',
      PUBLIC_URL: 'access.example',
      RATE_LIMIT_POINTS: '0',
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

  it.runIf(isFull)('causes an error with the reason if the port is already in use', async () => {
    const { storage, release } = await quickest.open();
    const taken = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.on('listening', resolve));
    const { port } = taken.address() as net.AddressInfo;
    const started = startProcess({
      ...settingsOf(storage),
      PORT: String(port),
    });
    const { code } = await started.exited;
    expect(code).toBeGreaterThan(0);
    expect(started.output()).toMatch(
      new RegExp(
        `^portfolio-access could not start: cannot listen .*${port}.*; check HOST, PORT and METRICS_PORT`,
        'm',
      ),
    );
    expect(started.output()).not.toMatch(/\n\s+at /);
    taken.close();
    await release();
  });
});
