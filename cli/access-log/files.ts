import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { CommandError } from '../output.ts';

const exportedDay = z.object({
  day: z.iso.date(),
  file: z.string(),
  records: z.int().min(0),
  /** SHA-256 hash of the file, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifest = z.object({ version: z.literal(1), days: z.array(exportedDay) });

export type ExportedDay = z.output<typeof exportedDay>;

export const manifestIn = (folder: string) => join(folder, 'manifest.json');

/** @throws CommandError if the file doesn't exist or isn't an export manifest */
export async function readManifest(path: string): Promise<Map<string, ExportedDay>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new CommandError(`the file ${path} doesn't exist; access-log export writes a manifest`);
  });
  try {
    return new Map(manifest.parse(JSON.parse(text)).days.map((each) => [each.day, each]));
  } catch {
    throw new CommandError(`${path} isn't a manifest of access-log export`);
  }
}

export function writeManifest(path: string, days: Iterable<ExportedDay>): Promise<void> {
  const inOrder = [...days].toSorted((a, b) => (a.day < b.day ? -1 : 1));
  const text = JSON.stringify({ version: 1, days: inOrder }, null, 2);
  return writeWhole(path, (draft) => pipeline(Readable.from([`${text}\n`]), toFile(draft)));
}

export async function writeDay(
  folder: string,
  day: string,
  pages: AsyncIterable<readonly unknown[]>,
  signal: AbortSignal,
): Promise<ExportedDay> {
  const file = `access-records-${day}.ndjson.gz`;
  const hash = createHash('sha256');
  let records = 0;
  async function* lines() {
    for await (const page of pages) {
      records += page.length;
      yield page.map((record) => `${JSON.stringify(record)}\n`).join('');
    }
  }
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await writeWhole(join(folder, file), (draft) =>
    pipeline(lines, createGzip(), hashed, toFile(draft), { signal }),
  );
  return { day, file, records, sha256: hash.digest('hex') };
}

/** Returns true if the file exists and is unchanged since the export. */
export async function hasFile(folder: string, { file, sha256 }: ExportedDay): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(join(folder, file)), hash);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  return hash.digest('hex') === sha256;
}

const toFile = (path: string) => createWriteStream(path, { mode: 0o600, flush: true });

/** Renames a temporary file, so that a file with the final name is always complete. */
async function writeWhole(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  try {
    await write(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
}
