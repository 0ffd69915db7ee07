import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { type KeyPair, parsePrivateKey, SigningKeyError } from './private-key.ts';

/** Many times the size of any key; what is larger is another file. */
const maxBytes = 16 * 1024;

/** The mode bits by which its group or others may write the file, and so replace the key. */
const writableByOthers = 0o022;
const readableByOthers = 0o004;

export interface ReadKeyFile extends KeyPair {
  /** Changes whenever the file does. */
  readonly version: string;
  readonly warning: string | null;
}

/**
 * The version of the file; null when there is none.
 *
 * @throws SigningKeyError when it cannot be looked at
 */
export async function versionOf(path: string): Promise<string | null> {
  try {
    return toVersion(await stat(path, { bigint: true }));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}

interface FileState {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function toVersion({ dev, ino, size, mtimeNs, ctimeNs }: FileState): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * Reads the key of a file; null when there is none.
 *
 * @throws SigningKeyError, which never holds any of the content
 */
export async function readKeyFile(path: string): Promise<ReadKeyFile | null> {
  const file = await openRegular(path);
  if (file === null) return null;
  await using handle = file;
  const state = await handle.stat({ bigint: true });
  if (!state.isFile()) throw SigningKeyError.of(path, 'is no file');
  const mode = Number(state.mode);
  if ((mode & writableByOthers) !== 0) {
    throw SigningKeyError.of(
      path,
      `can be written by its group or by others; run: chmod go-w ${path}`,
    );
  }
  const bytes = await readAll(handle, path);
  try {
    return {
      ...(await parsePrivateKey(bytes)),
      version: toVersion(state),
      warning:
        (mode & readableByOthers) === 0
          ? null
          : `the signing key ${path} can be read by everybody on this machine; run: chmod 600 ${path}`,
    };
  } catch (error) {
    if (error instanceof SigningKeyError) throw SigningKeyError.of(path, error.message);
    throw error;
  } finally {
    bytes.fill(0);
  }
}

async function openRegular(path: string): Promise<FileHandle | null> {
  try {
    // Opening a pipe would otherwise wait for somebody who writes to it.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}

async function readAll(handle: FileHandle, path: string): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes + 1);
  let length = 0;
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) break;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (length > maxBytes) {
    buffer.fill(0);
    throw SigningKeyError.of(path, 'is too long for a key');
  }
  return buffer.subarray(0, length);
}

/** Where a file really stands, so that a link to it survives that it is replaced. */
export async function resolveKeyFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return path;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): SigningKeyError {
  return SigningKeyError.of(path, `cannot be read (${codeOf(error)})`);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
