import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KeyPair, parsePrivateKey, SigningKeyError, writePrivateKey } from './private-key.ts';

const maxBytes = 16 * 1024;

/** File permissions that let the group or other users replace the key. */
const writableByOthers = 0o022;
const readableByOthers = 0o004;
const readableByGroup = 0o040;

interface ReadKeyFile extends KeyPair {
  /** A warning about the permissions of the file, or null. */
  readonly warning: string | null;
}

/**
 * Reads the key file. Returns null if the file doesn't exist.
 *
 * @throws SigningKeyError, which never contains the content of the file
 */
export async function readKeyFile(path: string): Promise<ReadKeyFile | null> {
  const file = await openForReading(path);
  if (file === null) return null;
  await using handle = file;
  const { mode } = await checkFile(handle, path);
  const bytes = await handle.readFile();
  try {
    return {
      ...(await parsePrivateKey(bytes)),
      warning:
        (mode & readableByOthers) === 0
          ? null
          : `every user of this machine can read the signing key ${path}; run: chmod 600 ${path}`,
    };
  } catch (error) {
    if (error instanceof SigningKeyError) throw SigningKeyError.of(path, error.message);
    throw error;
  } finally {
    bytes.fill(0);
  }
}

async function openForReading(path: string): Promise<FileHandle | null> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait until another process writes to it.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw SigningKeyError.of(path, `cannot be read (${codeOf(error)})`);
  }
}

async function checkFile(handle: FileHandle, path: string): Promise<{ readonly mode: number }> {
  const state = await handle.stat();
  if (!state.isFile()) throw SigningKeyError.of(path, "isn't a file");
  if ((state.mode & writableByOthers) !== 0) {
    throw SigningKeyError.of(
      path,
      `can be written by its group or by others; run: chmod go-w ${path}`,
    );
  }
  if (state.size > maxBytes) throw SigningKeyError.of(path, 'is too long for a key');
  return state;
}

/**
 * Writes the new key to a second file and renames it over the old file. So a process always reads a complete file. The
 * new file keeps the owner of the old file, and the group's right to read it.
 *
 * @param keepsOld true to keep the old file under the path that `previousKeyFile` returns
 * @param register called when the new key is on disk, before the file is renamed
 * @throws SigningKeyError if the file can't be written
 */
export const replaceKeyFile = (
  path: string,
  key: KeyPair,
  keepsOld: boolean,
  register: () => Promise<unknown>,
): Promise<void> =>
  writeKeyFile(path, key, async (draft, target) => {
    await register();
    const previous = previousOf(target);
    await rejectIfUnwritable(path, rm(previous, { force: true }));
    if (keepsOld) await rejectIfUnwritable(path, link(target, previous));
    await rejectIfUnwritable(path, rename(draft, target));
  });

/** Returns the path of the previous key's file. The previous key signs while the new key waits. */
export const previousKeyFile = async (path: string): Promise<string> =>
  previousOf(await targetOf(path));

const previousOf = (target: string) => `${target}.previous`;

/** Returns the file that a symbolic link points to. A rename would otherwise replace the link instead of the file. */
const targetOf = (path: string) => realpath(path).catch(() => path);

/**
 * Writes the first key. If another process has created the file meanwhile, keeps that file.
 *
 * @throws SigningKeyError if the file can't be written
 */
export const createKeyFile = (path: string, key: KeyPair): Promise<void> =>
  writeKeyFile(path, key, (draft, target) =>
    rejectIfUnwritable(
      path,
      link(draft, target).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      }),
    ),
  );

async function writeKeyFile(
  path: string,
  key: KeyPair,
  moveDraft: (draft: string, target: string) => Promise<void>,
): Promise<void> {
  const target = await targetOf(path);
  const draft = `${target}.${randomBytes(4).toString('hex')}.new`;
  const bytes = writePrivateKey(key);
  try {
    await rejectIfUnwritable(path, writeDraft(draft, target, bytes));
    await moveDraft(draft, target);
    await rejectIfUnwritable(path, syncFolder(dirname(target)));
  } finally {
    bytes.fill(0);
    await unlink(draft).catch(() => undefined);
  }
}

async function writeDraft(draft: string, target: string, bytes: Buffer): Promise<void> {
  const old = await stat(target).catch(() => null);
  await using handle = await open(draft, 'wx', 0o600);
  if (old !== null) {
    const { uid, gid } = await handle.stat();
    if (uid !== old.uid || gid !== old.gid) await handle.chown(old.uid, old.gid);
    await handle.chmod(0o600 | (old.mode & readableByGroup));
  }
  await handle.writeFile(bytes);
  await handle.sync();
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function rejectIfUnwritable<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw SigningKeyError.of(
      path,
      `cannot be written here (${codeOf(error)}); put a new key there yourself, ` +
        'from openssl genpkey -algorithm ed25519, and run: portfolio-access signing-key register',
    );
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
