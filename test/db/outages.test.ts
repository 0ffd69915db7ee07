import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AccessError, type AccessRequest } from '#core';
import { type Database, type DatabaseConfig, openDatabase } from '#db';
import {
  aCredential,
  addPair,
  addRequests,
  anAccessRequest,
  freshId,
} from '../contracts/builders.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { isFull } from '../support/property-runs.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

await describeOnPostgres('an outage', (createDatabase) => {
  let url: string;
  let proxy: TcpProxy;
  let database: Database;
  let request: AccessRequest;
  const backgroundErrors: unknown[] = [];

  const throughProxy = () => {
    const proxied = new URL(url);
    proxied.hostname = '127.0.0.1';
    proxied.port = String(proxy.port);
    return proxied.href;
  };
  const open = (limits: DatabaseConfig['limits'] = {}, databaseUrl = throughProxy()) =>
    openDatabase({
      databaseUrl,
      dataDir: '',
      role: 'service',
      limits,
      onError: (error) => backgroundErrors.push(error),
    });

  beforeAll(async () => {
    url = (await createDatabase()).url;
    const { hostname, port } = new URL(url);
    proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) });
    const first = await open();
    request = anAccessRequest(await addPair(first.repositories));
    await addRequests(first.repositories, request);
    await first.close();
  });
  afterAll(() => proxy.close());

  beforeEach(async () => {
    database = await open({ connections: 14 });
    backgroundErrors.length = 0;
  });
  afterEach(async () => {
    proxy.open();
    await database.close();
  });

  /** Reads without batches, so each call uses its own connection. */
  const read = async () => {
    const { investorId } = request;
    const filter = { investorId, now: new Date(), limit: 1 };
    return (await database.repositories.accessRequests.list(filter))[0];
  };
  const change = () =>
    database.repositories.accessRequests.transact(null, (transaction) =>
      transaction.lock(request.id),
    );

  async function expectUnavailable(work: Promise<unknown>): Promise<void> {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AccessError);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect((error as AccessError).retryAfterSeconds).toBeGreaterThan(0);
    expect((error as AccessError).cause).toBeInstanceOf(Error);
  }

  async function expectRecovered(): Promise<void> {
    const answers = await Promise.all(Array.from({ length: 12 }, read));
    expect(answers).toEqual(answers.map(() => request));
    expect(await change()).toEqual(request);
  }

  async function takesAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
    const started = performance.now();
    await work;
    expect(performance.now() - started).toBeLessThan(milliseconds);
  }

  describe('an unreachable database', () => {
    test('makes every call fail as unavailable until it is reachable again', async () => {
      proxy.cut();
      await expectUnavailable(read());
      await expectUnavailable(change());
      await expectUnavailable(database.migrate());
      await expectUnavailable(database.schemaState());
      const push = { companyId: 'co_any', credential: null, startedAt: new Date() };
      const { imports } = database.repositories;
      for (const isOfOperator of [false, true]) {
        await expectUnavailable(imports.transact({ ...push, isOfOperator }, async () => undefined));
      }
      expect(await database.ping(1000)).toBe(false);
      proxy.open();
      await expectRecovered();
      expect(await database.ping(1000)).toBe(true);
    });

    test('makes calls fail as unavailable even if no server listens on the database’s port', async () => {
      const lost = await open({}, 'postgres://postgres@127.0.0.1:1/nowhere');
      await expectUnavailable(lost.repositories.accessRequests.find('ar_1'));
      await lost.close();
    });

    test('makes calls that are already running fail as unavailable', async () => {
      await withClient(url, async (client) => {
        await client.query('begin');
        await client.query('select 1 from access_request where id = $1 for update', [request.id]);
        const waiting = change();
        await blockedBackend();
        proxy.cut();
        await expectUnavailable(waiting);
        await client.query('rollback');
      });
      proxy.open();
      await expectRecovered();
    });
  });

  describe('a database that hangs', () => {
    test('makes calls on existing connections fail as unavailable after about 4 seconds', async () => {
      await Promise.all(Array.from({ length: 3 }, read));
      proxy.hang();
      await takesAtMost(
        6000,
        Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            expectUnavailable(index % 2 === 0 ? read() : change()),
          ),
        ),
      );
      proxy.open();
      await expectRecovered();
    });

    test('makes calls on new connections fail as unavailable after about 4 seconds', async () => {
      proxy.hang();
      await takesAtMost(
        6000,
        Promise.all(Array.from({ length: 10 }, () => expectUnavailable(change()))),
      );
      proxy.open();
      await expectRecovered();
    });

    test.runIf(isFull)(
      'blocks no connection permanently, however often the database hangs',
      async () => {
        for (let round = 0; round < 3; round += 1) {
          await Promise.all(Array.from({ length: 3 }, change));
          proxy.hang();
          await Promise.all(Array.from({ length: 3 }, () => expectUnavailable(change())));
          proxy.open();
        }
        await expectRecovered();
      },
    );

    test('makes a health check return false within the time limit', async () => {
      await read();
      proxy.hang();
      await takesAtMost(
        1000,
        (async () => {
          expect(await database.ping(300)).toBe(false);
        })(),
      );
    });

    test('doesn’t prevent the process from closing its connections', async () => {
      await Promise.all([read(), read()]);
      proxy.hang();
      const lost = expectUnavailable(read());
      await takesAtMost(8000, database.close());
      await lost;
    });
  });

  describe('a connection that the server ends', () => {
    const endOthers = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;

    test('is removed from the pool without an error if it is idle, and the next call succeeds', async () => {
      await Promise.all(Array.from({ length: 3 }, read));
      await withClient(url, (client) => client.query(endOthers));
      const idle = () =>
        Object.values(database.load().pools).reduce((sum, pool) => sum + pool.idle, 0);
      await expect.poll(idle).toBe(0);
      expect(backgroundErrors).toEqual([]);
      await expectRecovered();
    });

    test('makes only the call that uses it fail as unavailable', async () => {
      await withClient(url, async (client) => {
        await client.query('begin');
        await client.query('select 1 from access_request where id = $1 for update', [request.id]);
        const waiting = expectUnavailable(change());
        const pid = await blockedBackend();
        await client.query('select pg_terminate_backend($1)', [pid]);
        await waiting;
        expect(await read()).toEqual(request);
        await client.query('rollback');
      });
      await expectRecovered();
    });
  });

  describe('a read-only server', () => {
    const setReadOnly = (value: 'on' | 'off') =>
      withClient(url, async (client) => {
        await client.query('begin read write');
        const { rows } = await client.query('select current_database() as name');
        const { name } = rows[0] as { name: string };
        await client.query(`alter database ${name} set default_transaction_read_only = ${value}`);
        await client.query('commit');
      });
    const connections = () =>
      withClient(url, async (client) => {
        const { rows } = await client.query(
          `select pid from pg_stat_activity
            where datname = current_database() and application_name = 'portfolio-access'`,
        );
        return rows.map(({ pid }) => pid);
      });

    test('makes writes fail as unavailable, and closes the connection, so a new one can reach another server', async () => {
      await setReadOnly('on');
      const { investorId, companyId } = request;
      const write = () =>
        database.repositories.accessRequests.transact(null, (transaction) =>
          transaction.lockNewest(investorId, companyId),
        );
      await expectUnavailable(write());
      await expect.poll(connections).toEqual([]);
      expect(await database.ping(5_000)).toBe(false);
      await setReadOnly('off');
      await database.close();
      database = await open({ connections: 14 });
      await expectRecovered();
    });
  });

  test('a statement that takes too long is cancelled on the server as well', async () => {
    await withClient(url, async (client) => {
      await client.query('begin');
      await client.query('select 1 from access_request where id = $1 for update', [request.id]);
      const waiting = expectUnavailable(change());
      await blockedBackend();
      await waiting;
      const { rows } = await client.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      expect(rows).toEqual([]);
      await client.query('rollback');
    });
    await expectRecovered();
  });

  test('a transaction fails as unavailable if the server ends it because of a deadlock', async () => {
    const other = anAccessRequest(await addPair(database.repositories));
    await addRequests(database.repositories, other);
    const lock = 'select from access_request where id = $1 for update';
    await withClient(url, async (client) => {
      // The service's session has a long timeout, so it finds the deadlock and is ended.
      await client.query(`set deadlock_timeout = '1min'`);
      await client.query('begin');
      await client.query(lock, [other.id]);
      let waiting: Promise<unknown> | undefined;
      const deadlocked = database.repositories.accessRequests.transact(
        null,
        async (transaction) => {
          await transaction.lock(request.id);
          waiting = client.query(lock, [request.id]);
          await blockedBackend();
          await transaction.lock(other.id);
        },
      );
      await expectUnavailable(deadlocked);
      await waiting;
      await client.query('rollback');
    });
  });

  test('a call fails as unavailable if it gets no connection in time', async () => {
    const small = await open({ connections: 5, acquireMilliseconds: 200 });
    const { investorId } = request;
    const filter = { investorId, now: new Date(), limit: 1 };
    const list = () => small.repositories.accessRequests.list(filter);
    // On a busy machine, opening the first connection may take longer than a call waits.
    await vi.waitFor(list, { timeout: 30_000 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const holding = small.repositories.accessRequests.transact(aCredential(request), async () => {
      begin();
      await held;
    });
    await begun;
    await expectUnavailable(list());
    release();
    await holding;
    expect(await list()).toEqual([request]);
    await small.close();
  });

  test('calls fail as unavailable if the server already has too many connections', async () => {
    const role = `few_${freshId('role')}`;
    await withClient(url, async (client) => {
      await client.query(`create role ${role} login connection limit 1`);
      await client.query(`grant select on all tables in schema public to ${role}`);
    });
    const limited = new URL(url);
    limited.username = role;
    await withClient(limited.href, async () => {
      const few = await open({}, limited.href);
      await expectUnavailable(few.repositories.accessRequests.find(request.id));
      await few.close();
    });
    await withClient(url, async (client) => {
      await client.query(`drop owned by ${role}`);
      await client.query(`drop role ${role}`);
    });
  });

  test('an error that isn’t an outage is thrown unchanged', async () => {
    const error = await database.repositories.accessRequests
      .transact(null, (transaction) =>
        transaction.add({ ...request, id: freshId('ar'), purpose: '\0' }),
      )
      .catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(AccessError);
    expect(error).toMatchObject({ code: '22021' });
  });

  /** Waits until a lock blocks a session, and returns its process id. */
  async function blockedBackend(): Promise<number> {
    return withClient(url, async (client) => {
      for (;;) {
        const { rows } = await client.query(
          `select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
        );
        if (rows[0] !== undefined) return rows[0].pid as number;
        await wait(10);
      }
    });
  }
});
