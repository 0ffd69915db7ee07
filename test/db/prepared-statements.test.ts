import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '#db';
import type { Connections } from '../../db/connections/pool.ts';
import {
  genericPlans,
  type Pool,
  preparedStatements,
} from '../../db/connections/prepared-statements.ts';
import { type StatementRunner, sql } from '../../db/connections/store.ts';
import { addPair } from '../contracts/builders.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { connectTo } from './connect.ts';

await describeOnPostgres('prepared statements', (createDatabase) => {
  let url: string;
  let connections: Connections;
  let database: Database;

  beforeAll(async () => {
    ({ url } = await createDatabase());
    connections = connectTo(url, { server: genericPlans, isPipelined: true });
    database = await openDatabase({
      databaseUrl: url,
      dataDir: '',
      role: 'service',
      limits: { connections: 5 },
    });
  });
  afterAll(async () => {
    await connections?.close();
    await database?.close();
  });

  it('have one plan per connection, however often they run and whatever their parameters are', async () => {
    const { orm, pool } = connections;
    const batches = preparedStatements(pool, orm.em.getKysely());
    const ask = (numbers: number[]) =>
      batches.run(sql<{ n: number }>`select unnest(${numbers}::int[]) as n`);
    for (let count = 1; count <= 20; count += 1) {
      const numbers = Array.from({ length: count }, (_, index) => index);
      expect(await ask(numbers)).toEqual(numbers.map((n) => ({ n })));
    }
    const [plans] = await batches.run(
      sql<object>`select generic_plans, custom_plans from pg_prepared_statements
        where statement like '%unnest%' and statement not like '%pg_prepared%'`,
    );
    expect(plans).toEqual({ generic_plans: '20', custom_plans: '0' });
  });

  it('are planned only once, even if the database URL contains other options', async () => {
    const target = new URL(url);
    target.searchParams.set('options', '-c search_path=elsewhere -c work_mem=5MB');
    const { pool, close } = connectTo(target.href, { server: genericPlans });
    const names = ['search_path', 'work_mem', ...Object.keys(genericPlans)];
    const { rows } = await pool
      .query({
        text: 'select name, current_setting(name) as value from unnest($1::text[]) as name',
        values: [names],
      })
      .finally(close);
    expect(rows).toEqual(
      Object.entries({ search_path: 'elsewhere', work_mem: '5MB', ...genericPlans }).map(
        ([name, value]) => ({ name, value }),
      ),
    );
  });

  it('still work after a migration has changed the type of a result column', async () => {
    const { repositories } = database;
    const { investor, company } = await addPair(repositories);
    const find = () => repositories.directory.findInPortfolio(investor.id, company.id);
    const found = await find();
    const { suspendedAt: _, ...shown } = company;
    expect(found?.company).toEqual(shown);
    await withClient(url, (client) =>
      client.query('alter table company alter column environment type varchar(30)'),
    );
    expect(await find()).toEqual(found);
    expect(await find()).toEqual(found);
  });

  it('fail once per connection after the type of a column has changed, and succeed when retried', async () => {
    const { orm, pool } = connections;
    const failed: unknown[] = [];
    const watched: Pool = {
      connect: () => pool.connect(),
      query: (statement) =>
        pool.query(statement).catch((error: unknown) => {
          failed.push(error);
          throw error;
        }),
    };
    const batches = preparedStatements(watched, orm.em.getKysely());
    const ask = () => batches.run(sql`select hint from api_key where id = ${'key_none'}`);
    await ask();
    await withClient(url, (client) =>
      client.query('alter table api_key alter column hint type varchar(100)'),
    );
    for (const _ of [1, 2, 3]) expect(await ask()).toEqual([]);
    expect(failed).toHaveLength(1);
  });

  it('need only one round trip in a row scope, including the statements that open and close the scope', async () => {
    const database = new URL(url);
    let turns = 0;
    let isAnswered = true;
    const server = net.createServer((client) => {
      const upstream = net.connect(Number(database.port || 5432), database.hostname);
      client.on('data', () => {
        if (isAnswered) turns += 1;
        isAnswered = false;
      });
      // The late answer would delay the next message of a client that waits for each answer.
      const answer = (data: Buffer) => {
        isAnswered = true;
        client.write(data);
      };
      upstream.on('data', (data) => setTimeout(answer, 20, data));
      client.pipe(upstream);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const target = new URL(url);
    target.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    const service = await openDatabase({ databaseUrl: target.href, dataDir: '', role: 'service' });
    await service.repositories.companyData.version('co_none');
    turns = 0;
    expect(await service.repositories.companyData.version('co_none')).toBe('0');
    expect(turns).toBe(1);
    await service.close();
    server.close();
  });

  it('still work in a row scope after an error, and after the connection has dropped them', async () => {
    const { orm, pool, close } = connectTo(url, { server: genericPlans, isPipelined: true });
    const onUnprepared = vi.fn();
    const batches = preparedStatements(pool, orm.em.getKysely(), onUnprepared);
    const scoped = batches.scoped({ companies: ['co_1'] });
    const divide = (by: number) =>
      scoped.run(sql<{ result: number }>`select 2 / ${by}::int as result`);
    expect(await divide(1)).toEqual([{ result: 2 }]);
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
    expect(await divide(2)).toEqual([{ result: 1 }]);
    expect(onUnprepared).not.toHaveBeenCalled();
    await pool.query({ text: 'deallocate all', values: [] });
    expect(await divide(1)).toEqual([{ result: 2 }]);
    expect(onUnprepared).toHaveBeenCalledOnce();
    await close();
  });

  describe('of one transaction', () => {
    const within = (watched: Pool, onUnprepared?: () => void) =>
      preparedStatements(watched, connections.orm.em.getKysely(), onUnprepared).scoped({
        companies: ['co_1'],
      });
    const ask = (inside: StatementRunner, n: number) => inside.run(sql`select ${n}::int as asked`);
    const add = (inside: StatementRunner, id: string) =>
      inside.run(sql`insert into company values (${id}, 'Harbor', 'live', now())`);
    const has = async (id: string) =>
      (await database.repositories.directory.findCompany(id)) !== null;

    it('are planned only once in the row scope, whatever their parameters are', async () => {
      const { pool } = connections;
      const [plans] = await within(pool).transact(async (inside) => {
        expect(
          await inside.run(sql`select current_setting('portfolio_access.companies') as scope`),
        ).toEqual([{ scope: '{"co_1"}' }]);
        for (const n of [1, 2, 3]) expect(await ask(inside, n)).toEqual([{ asked: n }]);
        return inside.run(
          sql<object>`select generic_plans, custom_plans from pg_prepared_statements
            where statement like '%as asked%' and statement not like '%pg_prepared%'`,
        );
      });
      expect(plans).toEqual({ generic_plans: '3', custom_plans: '0' });
    });

    it('all run in the row scope if they are sent together, and are rolled back if one of them fails', async () => {
      const { transact } = within(connections.pool);
      const scope = (inside: StatementRunner, n: number) =>
        inside.run(
          sql`select current_setting('portfolio_access.companies') as scope, ${n}::int as n`,
        );
      expect(
        await transact((inside) => Promise.all([1, 2, 3].map((n) => scope(inside, n)))),
      ).toEqual([1, 2, 3].map((n) => [{ scope: '{"co_1"}', n }]));
      expect(await transact(async () => 'nothing')).toBe('nothing');
      const failed = transact((inside) =>
        Promise.all([inside.run(sql`select 1 / 0`), add(inside, 'co_beside')]),
      );
      await expect(failed).rejects.toMatchObject({ code: '22012' });
      expect(await has('co_beside')).toBe(false);
    });

    it('are all committed, or all rolled back if one of them fails or the callback throws', async () => {
      const { transact } = within(connections.pool);
      await transact(async (inside) => {
        await add(inside, 'co_kept');
        expect(await has('co_kept')).toBe(false);
      });
      expect(await has('co_kept')).toBe(true);
      const givenUp = transact(async (inside) => {
        await add(inside, 'co_given_up');
        throw new Error('given up');
      });
      await expect(givenUp).rejects.toThrow('given up');
      const failed = transact(async (inside) => {
        await add(inside, 'co_given_up');
        await add(inside, 'co_kept');
      });
      await expect(failed).rejects.toMatchObject({ code: '23505' });
      expect(await has('co_given_up')).toBe(false);
      expect(await transact((inside) => ask(inside, 1))).toEqual([{ asked: 1 }]);
    });

    it('all run a second time if the connection has dropped one of them', async () => {
      const { pool } = connections;
      const onUnprepared = vi.fn();
      const { transact } = within(pool, onUnprepared);
      const work = vi.fn(async (inside: StatementRunner) => {
        // This insert would fail in the second attempt if the first attempt had left its row.
        await add(inside, 'co_again');
        if (work.mock.calls.length === 1) await inside.run(sql`deallocate all`);
        return ask(inside, 4);
      });
      await transact((inside) => ask(inside, 4));
      expect(await transact(work)).toEqual([{ asked: 4 }]);
      expect(work).toHaveBeenCalledTimes(2);
      expect(onUnprepared).toHaveBeenCalledOnce();
    });

    it('all run a second time after the type of a column has changed', async () => {
      const { transact } = within(connections.pool);
      const work = vi.fn((inside: StatementRunner) =>
        inside.run(sql`select hint from company_key where id = ${'key_none'}`),
      );
      await transact(work);
      await withClient(url, (client) =>
        client.query('alter table company_key alter column hint type varchar(100)'),
      );
      for (const _ of [1, 2]) expect(await transact(work)).toEqual([]);
      expect(work).toHaveBeenCalledTimes(4);
    });
  });

  it('still work after the connection has dropped them', async () => {
    const { orm, pool } = connections;
    const batches = preparedStatements(pool, orm.em.getKysely());
    const ask = () => batches.run(sql`select ${1}::int as one`);
    expect(await ask()).toEqual([{ one: 1 }]);
    await pool.query({ text: 'deallocate all', values: [] });
    expect(await ask()).toEqual([{ one: 1 }]);
  });
});
