import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionServer } from '../../db/embedded/session-server.ts';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';

describe('the session server, through which many clients share one database session', () => {
  let dataDir: DataDir;
  let pglite: PGlite;
  let server: SessionServer;
  let pool: pg.Pool;

  beforeAll(async () => {
    dataDir = await createMigratedDataDir();
    pglite = await PGlite.create(join(dataDir.path, 'database'));
    server = new SessionServer(pglite, (error) => expect.fail(String(error)));
    await server.listen(join(dataDir.path, '.s.PGSQL.5432'));
    pool = new pg.Pool({ host: dataDir.path, user: 'postgres', database: 'postgres', max: 10 });
    pool.on('error', () => undefined);
    await pool.query('create table note (id int primary key, text text)');
  });

  afterAll(async () => {
    await pool.end();
    await server.close();
    await pglite.close();
    await dataDir.remove();
  });

  const countNotes = async (from: number, to: number): Promise<number> => {
    const { rows } = await pool.query(
      'select count(*)::int as count from note where id between $1 and $2',
      [from, to],
    );
    return rows[0].count;
  };

  it('returns each client its own answers, however many clients send queries at once', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const answers = await Promise.all(
      numbers.map(async (number) => {
        const { rows } = await pool.query('select $1::int as number, $2::text as text', [
          number,
          `text ${number}`,
        ]);
        return rows;
      }),
    );
    expect(answers).toEqual(numbers.map((number) => [{ number, text: `text ${number}` }]));
  });

  it('keeps the transactions, errors and reads of many clients separate', async () => {
    const write = async (id: number): Promise<void> => {
      const client = await pool.connect();
      await client.query('begin');
      await client.query('insert into note values ($1, $2)', [id, `note ${id}`]);
      const { rows } = await client.query('select text from note where id = $1', [id]);
      expect(rows).toEqual([{ text: `note ${id}` }]);
      await client.query(id % 2 === 0 ? 'commit' : 'rollback');
      client.release();
    };
    const fail = (id: number) =>
      expect(pool.query('select $1::int / 0', [id])).rejects.toThrow('division by zero');
    const read = async (id: number): Promise<void> => {
      const { rows } = await pool.query('select $1::int as id', [id]);
      expect(rows).toEqual([{ id }]);
    };
    const ids = Array.from({ length: 60 }, (_, index) => 1000 + index);
    await Promise.all(ids.flatMap((id) => [write(id), fail(id), read(id)]));
    expect(await countNotes(1000, 1999)).toBe(30);
  });

  it('rolls back the transaction of a client that has disconnected', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query("insert into note values (2000, 'never')");
    const waiting = countNotes(2000, 2000);
    client.release(new Error('gone'));
    expect(await waiting).toBe(0);
  });

  it('keeps serving other clients after a client with a failed transaction has disconnected', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await expect(client.query('select nothing')).rejects.toThrow('does not exist');
    client.release(new Error('gone'));
    expect(await countNotes(3000, 3000)).toBe(0);
  });
});
