import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

/** Beside the code. `npm ci` makes it for a checkout, `npm run build` for the package; git knows nothing of it. */
const file = fileURLToPath(new URL('new-database.zst', import.meta.url));

/** The contents of files by their paths, in folders that may be empty. */
interface Packed {
  readonly folders: readonly string[];
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
}

/** A small database: what it has in memory, and each piece of its log. */
const settings = ['--wal-segsize=1', '-c', 'shared_buffers=16MB'];

/** Databases to copy others from: two thirds of all files. */
const unused = ['template0', 'template1'];

/** Three databases that are nearly the same stand far from each other. */
const compression = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 9,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 25,
  },
};

/** The very long way: a second PGlite in memory, in which `initdb` starts PostgreSQL again and again. */
export async function initialize(folder: string): Promise<void> {
  const database = await PGlite.create(folder, { initDbStartParams: settings });
  for (const name of unused) {
    await database.exec(`update pg_database set datistemplate = false where datname = '${name}'`);
    await database.exec(`drop database ${name}`);
  }
  await database.close();
}

/** Keeps a new database, so that none has to be initialized where this code runs. */
export async function keepNewDatabase(target = file): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portfolio-access-'));
  try {
    await initialize(folder);
    const found = globSync('**', { cwd: folder, withFileTypes: true });
    const pathOf = (entry: (typeof found)[number]) =>
      join(entry.parentPath, entry.name).slice(folder.length + 1);
    const paths = found.filter((entry) => entry.isFile()).map(pathOf);
    const packed: Packed = {
      folders: found.filter((entry) => entry.isDirectory()).map(pathOf),
      files: paths.map((path) => [path, readFileSync(join(folder, path))]),
    };
    mkdirSync(dirname(target), { recursive: true });
    // Never half of it.
    writeFileSync(`${target}.draft`, zstdCompressSync(serialize(packed), compression));
    renameSync(`${target}.draft`, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts the new database that is kept into the folder; false: none is. */
export function putNewDatabase(folder: string, source = file): boolean {
  let bytes: Buffer;
  try {
    bytes = readFileSync(source);
  } catch {
    return false;
  }
  const { folders, files }: Packed = deserialize(zstdDecompressSync(bytes));
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
  for (const [path, content] of files) writeFileSync(join(folder, path), content, { mode: 0o600 });
  return true;
}
