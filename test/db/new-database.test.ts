import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { putNewDatabase } from '../../db/embedded/new-database.ts';
import { prepareDatabase } from '../../db/embedded/prepare.ts';
import { createDataDir, type DataDir } from '../support/databases.ts';

let root: DataDir;
let kept: string;

beforeAll(async () => {
  root = await createDataDir();
  kept = await createRoot('kept');
  await prepareDatabase(kept);
});
afterAll(() => root.remove());

const stored = 'db/embedded/new-database.zst';

async function createRoot(name: string): Promise<string> {
  const folder = join(root.path, name);
  await mkdir(join(folder, 'db/embedded'), { recursive: true });
  return folder;
}

it('a copy of the prepared database works in any folder', async () => {
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

it('no database is copied if none was prepared', () => {
  expect(putNewDatabase(root.path, join(root.path, 'nothing'))).toBe(false);
});

it('a database that was prepared before a change of the code is ignored', async () => {
  const newer = await createRoot('newer');
  await copyFile(join(kept, stored), join(newer, stored));
  expect(putNewDatabase(join(root.path, 'of the same code'), newer)).toBe(true);
  await writeFile(join(newer, 'db/embedded/migration.ts'), '');
  expect(putNewDatabase(join(root.path, 'of newer code'), newer)).toBe(false);
});

it.each([
  ['another version of PGlite created', (bytes: Buffer) => repacked(bytes, { version: '0.0.1' })],
  ['has no version', (bytes: Buffer) => repacked(bytes, { version: undefined })],
  ['is cut off', (bytes: Buffer) => bytes.subarray(0, -1_000)],
  [
    'has a changed byte',
    (bytes: Buffer) => bytes.map((byte, at) => (at === 9_999 ? byte ^ 255 : byte)),
  ],
  ['is empty', () => Buffer.alloc(0)],
  ['isn’t a database', () => zstdCompressSync(serialize(null))],
])(
  'a prepared database that %s is ignored, so the service initializes a new one',
  async (_, change) => {
    const folder = join(root.path, 'nothing put');
    await mkdir(folder, { recursive: true });
    const changed = await createRoot('changed');
    await writeFile(join(changed, stored), change(await readFile(join(kept, stored))));
    expect(putNewDatabase(folder, changed)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  },
);

const repacked = (bytes: Buffer, change: object) =>
  zstdCompressSync(serialize({ ...deserialize(zstdDecompressSync(bytes)), ...change }));
