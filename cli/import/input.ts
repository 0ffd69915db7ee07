import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { CommandError } from '../output.ts';

export interface Input {
  readonly chunks: Readable;
  readonly totalBytes: number | null;
}

/**
 * @param path a file, or `-` for stdin
 * @throws CommandError if the file can't be read
 */
export async function openInput(path: string, stdin: Readable): Promise<Input> {
  if (path === '-') return { chunks: ignoreEarlyErrors(stdin), totalBytes: null };
  try {
    const status = await stat(path);
    if (status.isDirectory()) throw new Error('it is a directory');
    const chunks = createReadStream(path);
    await once(chunks, 'open');
    return { chunks: ignoreEarlyErrors(chunks), totalBytes: status.isFile() ? status.size : null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`cannot read ${path}: ${reason}`);
  }
}

/** The header of an export must fit into these bytes. */
const headBytes = 4_096;

/** Returns the beginning of a stream, and the stream including that beginning. */
export async function peek(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < headBytes) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    first.push(value);
    length += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head: Buffer.concat(first), all: all() };
}

/** @throws CommandError if the stream has more than `maxBytes` bytes */
export async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length > maxBytes) {
      throw new CommandError(
        `a table has at most ${maxBytes / 1_048_576} MiB: split it, use --mapping, or import newline-delimited JSON`,
      );
    }
  }
  return Buffer.concat(read);
}

/** @throws CommandError if the file can't be read */
export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandError(`cannot read ${path}: ${error.message}`);
  });
}

/**
 * @param what the name of the document in error messages, for example `the mapping ledger.json`
 * @param toShownPath converts a path in the document to the path in error messages
 * @throws CommandError that lists all problems
 */
export function parseDocument<S extends z.ZodType>(
  text: string,
  what: string,
  schema: S,
  toShownPath: (path: readonly PropertyKey[]) => readonly PropertyKey[] = (path) => path,
): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${what} is not JSON: ${reason}`);
  }
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data as z.output<S>;
  const reasons = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${toShownPath(path).join('.')}: ${message}`,
  );
  throw new CommandError(`${what} is invalid: ${reasons.join('; ')}`);
}

/** Without a listener, an error before the first read would end the process. The later read throws the same error. */
function ignoreEarlyErrors(chunks: Readable): Readable {
  return chunks.on('error', () => undefined);
}
