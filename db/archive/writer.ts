import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { AccessRecord, ArchiveStep } from '#core';
import { fields, types } from '../access-records/columns.ts';
import { snakeCase } from '../store.ts';
import { canonicalLine, selectedFields, toRecord } from './columns.ts';
import { loadDuckDb, openDuckDb, quoted } from './duckdb.ts';
import { digestOf, fileName, moveIntoPlace, temporaryPrefix, writeManifest } from './files.ts';

/** Small groups, of which the page of one company reads few; much smaller ones compress less. */
const recordsOfGroup = 30_720;

/** As many as the library takes at once. */
const recordsOfChunk = 2_048;

const memoryLimit = '512MB';

/** The form of the files and manifests. */
const version = 1;

export interface WrittenFile {
  readonly day: string;
  readonly digest: string;
  readonly bytes: number;
  readonly records: number;
}

interface Writing {
  readonly folder: string;
  readonly day: string;
  readonly signal?: AbortSignal | undefined;
  readonly onStep: (step: ArchiveStep) => void | Promise<void>;
}

/**
 * Writes the records into a file in their order, reads it again, and gives it its name and its manifest once it holds
 * the very same.
 *
 * @param pieces at least one record in all
 */
export async function writeRecords(
  pieces: AsyncIterable<readonly AccessRecord[]>,
  { folder, day, signal, onStep }: Writing,
): Promise<WrittenFile> {
  const temporary = await mkdtemp(join(folder, temporaryPrefix));
  try {
    const path = join(temporary, 'records.parquet');
    const database = await openDuckDb(join(temporary, 'records.duckdb'), memoryLimit);
    const connection = await database.connect();
    let given: Content;
    try {
      given = await append(connection, pieces, signal);
      const form = `format parquet, compression zstd, row_group_size ${recordsOfGroup}`;
      await connection.run(`copy record to ${quoted(path)} (${form})`);
      await chmod(path, 0o600);
      await onStep('written');
      signal?.throwIfAborted();
      const kept = await readContent(connection, path);
      if (kept.digest !== given.digest || kept.records !== given.records) {
        throw new Error(`the file of ${day} does not hold what was written into it`);
      }
      await onStep('checked');
    } finally {
      connection.closeSync();
      database.closeSync();
    }
    signal?.throwIfAborted();
    const file = {
      day,
      digest: await digestOf(path),
      bytes: (await stat(path)).size,
      records: given.records,
    };
    await moveIntoPlace(path, join(folder, fileName(file)));
    await onStep('in_place');
    await writeManifest(folder, temporary, file, {
      version,
      day,
      records: file.records,
      file: fileName(file),
      bytes: file.bytes,
      file_sha256: file.digest,
      records_sha256: given.digest,
    });
    await onStep('listed');
    return file;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** How many records, and the SHA-256 of their canonical lines. */
interface Content {
  readonly records: number;
  readonly digest: string;
}

async function append(
  connection: DuckDBConnection,
  pieces: AsyncIterable<readonly AccessRecord[]>,
  signal: AbortSignal | undefined,
): Promise<Content> {
  const { DuckDBDataChunk, DuckDBTimestampValue, INTEGER, TIMESTAMP, VARCHAR } = await loadDuckDb();
  const columnTypes = { text: VARCHAR, timestamptz: TIMESTAMP, integer: INTEGER };
  const columns = fields.map((field) => ({ field, type: columnTypes[types[field]] }));
  const definition = columns.map(({ field, type }) => `${snakeCase(field)} ${type}`);
  await connection.run(`create table record (${definition.join(', ')})`);
  const appender = await connection.createAppender('record');
  const content = new ContentDigest();
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    for (let start = 0; start < piece.length; start += recordsOfChunk) {
      const records = piece.slice(start, start + recordsOfChunk);
      for (const record of records) content.add(record);
      const chunk = DuckDBDataChunk.create(
        columns.map(({ type }) => type),
        records.length,
      );
      chunk.setColumns(
        fields.map((field) =>
          records.map((record) =>
            field === 'occurredAt'
              ? new DuckDBTimestampValue(BigInt(record.occurredAt.getTime()) * 1000n)
              : record[field],
          ),
        ),
      );
      appender.appendDataChunk(chunk);
    }
    appender.flushSync();
  }
  appender.closeSync();
  return content.end();
}

async function readContent(connection: DuckDBConnection, path: string): Promise<Content> {
  const content = new ContentDigest();
  const result = await connection.stream(
    `select ${selectedFields} from read_parquet(${quoted(path)})`,
  );
  for await (const rows of result.yieldRowObjectJs()) {
    for (const row of rows) content.add(toRecord(row));
  }
  return content.end();
}

class ContentDigest {
  readonly #hash = createHash('sha256');
  #records = 0;

  add(record: AccessRecord): void {
    this.#hash.update(canonicalLine(record));
    this.#records += 1;
  }

  end(): Content {
    return { records: this.#records, digest: this.#hash.digest('hex') };
  }
}
