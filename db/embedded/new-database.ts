import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

/** The root of the checkout, or of the built package. */
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The file with a new, migrated database, relative to the root. `npm ci` creates the file for a checkout, and `npm run
 * build` creates it for the package. Git ignores the file.
 */
const file = 'db/embedded/new-database.zst';

interface Packed {
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

/**
 * Stores a new, migrated database in a file, so that later starts only copy it.
 *
 * @param folder the closed database
 * @param ofRoot the checkout or the built package that the file is for
 */
export function storeDatabase(folder: string, ofRoot = root): void {
  const found = globSync('**', { cwd: folder, withFileTypes: true });
  const pathOf = (entry: (typeof found)[number]) =>
    join(entry.parentPath, entry.name).slice(folder.length + 1);
  const paths = found.filter((entry) => entry.isFile()).map(pathOf);
  const packed: Packed = {
    version: versionOf(ofRoot),
    folders: found.filter((entry) => entry.isDirectory()).map(pathOf),
    files: paths.map((path) => [path, readFileSync(join(folder, path))]),
  };
  const target = join(ofRoot, file);
  writeFileSync(`${target}.draft`, zstdCompressSync(serialize(packed), compression));
  renameSync(`${target}.draft`, target);
}

/** Copies the stored database into the folder. Returns false if no database of this version is stored. */
export function putNewDatabase(folder: string, ofRoot = root): boolean {
  const packed = readPacked(ofRoot);
  if (packed === null) return false;
  const { folders, files } = packed;
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
  for (const [path, content] of files) writeFileSync(join(folder, path), content, { mode: 0o600 });
  return true;
}

export const hasNewDatabase = (): boolean => readPacked(root) !== null;

function readPacked(ofRoot: string): Packed | null {
  try {
    const packed: Packed = deserialize(zstdDecompressSync(readFileSync(join(ofRoot, file))));
    return packed.version === versionOf(ofRoot) ? packed : null;
  } catch {
    return null;
  }
}

/** Returns the version of PGlite, with a digest of all code that the schema is made from. */
function versionOf(ofRoot: string): string {
  const manifest = findPackageJSON('@electric-sql/pglite', import.meta.url);
  if (manifest === undefined) throw new Error('PGlite has no package.json');
  const digest = createHash('sha256');
  for (const source of globSync('{core,db}/**/*.{ts,js,sql}', { cwd: ofRoot }).toSorted()) {
    digest.update(source).update(readFileSync(join(ofRoot, source)));
  }
  return `${JSON.parse(readFileSync(manifest, 'utf8')).version} ${digest.digest('hex')}`;
}
