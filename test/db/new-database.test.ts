import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepNewDatabase, putNewDatabase } from '../../db/embedded/new-database.ts';
import { createDataDir, type DataDir } from '../support/databases.ts';

let root: DataDir;

beforeAll(async () => {
  root = await createDataDir();
});
afterAll(() => root.remove());

it('a new database that was kept works wherever it is put', async () => {
  const kept = join(root.path, 'kept');
  await keepNewDatabase(kept);
  const folder = join(root.path, 'database');
  await mkdir(folder);
  expect(putNewDatabase(folder, kept)).toBe(true);
  const database = await PGlite.create(folder);
  const { rows } = await database.query('select datname from pg_database');
  await database.exec('create table kept (id int); insert into kept values (1)');
  await database.close();
  expect(rows).toEqual([{ datname: 'postgres' }]);
  const again = await PGlite.create(folder);
  expect((await again.query('select id from kept')).rows).toEqual([{ id: 1 }]);
  await again.close();
});

it('where none is kept, nothing is put', () => {
  expect(putNewDatabase(root.path, join(root.path, 'nothing'))).toBe(false);
});
