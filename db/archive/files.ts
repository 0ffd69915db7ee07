import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StorageError } from '../storage-error.ts';

/** What a file of the archive is called by. */
export interface FileIdentity {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
}

const digestInName = 16;

/**
 * A name says the day and what is in the file. So another file never takes the place of one that the database names, and
 * no text from outside gets into a path.
 */
export function fileName({ day, digest }: FileIdentity): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !/^[0-9a-f]{64}$/.test(digest)) {
    throw new Error('this names no file of the archive');
  }
  return `access-records-${day}-${digest.slice(0, digestInName)}.parquet`;
}

export const manifestName = (identity: FileIdentity) => `${fileName(identity)}.json`;

/** Says where the disk has failed: without it, that would be taken for an error of the database. */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    const message = `the archive at ${folder} cannot be used: ${error.message}`;
    throw new StorageError(message, { cause: error });
  }
}

/** The library that writes the files gives its errors no code. */
function isOfDisk(error: unknown): error is Error {
  return error instanceof Error && ('syscall' in error || error.message.startsWith('IO Error'));
}

/** Another folder, or one that is not mounted, must not be taken for the archive. */
export async function requireNames(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await access(join(folder, name)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
      const message = `the archive at ARCHIVE_DIR lacks ${name}`;
      throw new StorageError(message, { cause });
    });
  }
}

/** Resolves when the file, and the folder's knowledge of it, would outlive a power failure. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  await sync(from);
  await rename(from, to);
  await sync(dirname(to));
}

export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The manifest is the last to come, so a file that has one is whole. */
export async function writeManifest(
  folder: string,
  temporary: string,
  identity: FileIdentity,
  manifest: object,
): Promise<void> {
  const written = join(temporary, 'manifest.json');
  await writeFile(written, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await moveIntoPlace(written, join(folder, manifestName(identity)));
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}

export const removeFile = (folder: string, identity: FileIdentity): Promise<void> =>
  rm(join(folder, fileName(identity)), { force: true });

export const removeManifest = (folder: string, identity: FileIdentity): Promise<void> =>
  rm(join(folder, manifestName(identity)), { force: true });

/**
 * Removes what earlier attempts have left and nothing names. A young file may be about to be named.
 *
 * @param listNamed is called after the folder was read, so that what has been named meanwhile is kept
 */
export async function removeUnnamed(
  folder: string,
  listNamed: () => Promise<readonly FileIdentity[]>,
): Promise<void> {
  const present = await readdir(folder);
  const kept = new Set((await listNamed()).flatMap((each) => [fileName(each), manifestName(each)]));
  for (const name of present) {
    if (name.startsWith('access-records-') && !kept.has(name)) {
      await removeWhenOld(join(folder, name));
    }
  }
}

export const temporaryPrefix = '.writing-';

/** An attempt that is under way is younger. */
const leftoverMilliseconds = 86_400_000;

export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(temporaryPrefix)) await removeWhenOld(join(folder, name));
  }
}

async function removeWhenOld(path: string): Promise<void> {
  // Another process may have removed it meanwhile.
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null || found.mtimeMs >= Date.now() - leftoverMilliseconds) return;
  await rm(path, { recursive: true, force: true });
}
