import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

/** The file with an empty database, which Git ignores. `npm ci` and `npm run build` create it. */
const file = fileURLToPath(new URL('new-database.zst', import.meta.url));

interface Packed {
  /** The version of PGlite. */
  readonly version: string;
  readonly folders: readonly string[];
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
}

/** Uses little shared memory, and short segments of the write-ahead log. */
const settings = ['--wal-segsize=1', '-c', 'shared_buffers=16MB'];

/** The template databases are removed. They are never used, but contain two thirds of all files. */
const unused = ['template0', 'template1'];

/** With a large window, zstd also finds repeated content that is far apart in the archive. */
const compression = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 9,
    // With a checksum, a damaged file can't become a damaged database.
    [constants.ZSTD_c_checksumFlag]: 1,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 25,
  },
};

/** Slow, because `initdb` starts PostgreSQL several times in a second PGlite. */
export async function initialize(folder: string): Promise<void> {
  const database = await PGlite.create(folder, { initDbStartParams: settings });
  for (const name of unused) {
    await database.exec(`update pg_database set datistemplate = false where datname = '${name}'`);
    await database.exec(`drop database ${name}`);
  }
  await database.close();
}

/** Stores a new database in a file, so that later starts only copy it. */
export async function storeNewDatabase(target = file): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portfolio-access-'));
  try {
    await initialize(folder);
    const found = globSync('**', { cwd: folder, withFileTypes: true });
    const pathOf = (entry: (typeof found)[number]) =>
      join(entry.parentPath, entry.name).slice(folder.length + 1);
    const paths = found.filter((entry) => entry.isFile()).map(pathOf);
    const packed: Packed = {
      version: versionOfPGlite(),
      folders: found.filter((entry) => entry.isDirectory()).map(pathOf),
      files: paths.map((path) => [path, readFileSync(join(folder, path))]),
    };
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.draft`, zstdCompressSync(serialize(packed), compression));
    renameSync(`${target}.draft`, target);
  } finally {
    await rm(`${target}.draft`, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the stored database into the folder. Returns false if no database of this PGlite version is stored. */
export function putNewDatabase(folder: string, source = file): boolean {
  const packed = readPacked(source);
  if (packed === null) return false;
  const { folders, files } = packed;
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
  for (const [path, content] of files) writeFileSync(join(folder, path), content, { mode: 0o600 });
  return true;
}

function readPacked(source: string): Packed | null {
  try {
    const packed: Packed = deserialize(zstdDecompressSync(readFileSync(source)));
    return packed.version === versionOfPGlite() ? packed : null;
  } catch {
    return null;
  }
}

function versionOfPGlite(): string {
  const manifest = findPackageJSON('@electric-sql/pglite', import.meta.url);
  if (manifest === undefined) throw new Error('PGlite has no package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
