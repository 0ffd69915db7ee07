import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CommandError } from '../output.ts';

/** Bytes to import, and how many there are when that is known. */
export interface Input {
  readonly chunks: Readable;
  readonly totalBytes: number | null;
}

/**
 * @param path a file, or `-` for stdin
 * @throws CommandError when the file cannot be read
 */
export async function openInput(path: string, stdin: Readable): Promise<Input> {
  if (path === '-') return { chunks: quiet(stdin), totalBytes: null };
  try {
    const status = await stat(path);
    if (status.isDirectory()) throw new Error('it is a directory');
    const chunks = createReadStream(path);
    await once(chunks, 'open');
    return { chunks: quiet(chunks), totalBytes: status.isFile() ? status.size : null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`cannot read ${path}: ${reason}`);
  }
}

/** @throws CommandError when the file cannot be read */
export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandError(`cannot read ${path}: ${error.message}`);
  });
}

/** Whoever reads gets the error; one that comes before anybody reads must not end the process. */
function quiet(chunks: Readable): Readable {
  return chunks.on('error', () => undefined);
}
