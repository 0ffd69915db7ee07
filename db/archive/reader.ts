import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import type { AccessRecord } from '#core';
import { selectedFields, toRecord } from './columns.ts';
import { openDuckDb, quoted, restrictToFolder } from './duckdb.ts';
import { digestOf, type FileIdentity, fileName } from './files.ts';
import { TimedSemaphore } from './timed-semaphore.ts';

const memoryLimit = '256MB';

/** Reads of files hold threads that the whole process shares. */
const readsInFlight = 2;

/** What is asked of a file, in SQL, with the values of its parameters. */
export interface FileQuestion {
  readonly condition: string;
  readonly values: Readonly<Record<string, DuckDBValue>>;
  readonly limit: number;
}

/** Reads the files of one folder, the database library of its own only when the first one is read. */
export class FileReader {
  readonly #folder: string;
  readonly #semaphore: TimedSemaphore;
  #instance: Promise<DuckDBInstance> | null = null;
  /** What a file looked like when its bytes were compared with its digest. */
  readonly #verified = new Map<string, string>();

  constructor(folder: string, milliseconds: number | null) {
    this.#folder = folder;
    this.#semaphore = new TimedSemaphore(readsInFlight, milliseconds);
  }

  /** Runs the work within its time, on a connection of its own. */
  read<T>(work: (files: OpenFiles) => Promise<T>): Promise<T> {
    return this.#semaphore.take(async (signal) => {
      const connection = await (await this.#open()).connect();
      const interrupt = () => connection.interrupt();
      signal.addEventListener('abort', interrupt);
      try {
        signal.throwIfAborted();
        return await work({
          newest: async (files, question) => {
            for (const file of files) await this.#verify(file);
            signal.throwIfAborted();
            const records = await this.#newest(connection, files, question);
            // What was read is what was verified: no file has become another one meanwhile.
            for (const file of files) await this.#requireVerified(file);
            return records;
          },
        });
      } finally {
        signal.removeEventListener('abort', interrupt);
        connection.closeSync();
      }
    });
  }

  async #newest(
    connection: DuckDBConnection,
    files: readonly FileIdentity[],
    { condition, values, limit }: FileQuestion,
  ): Promise<AccessRecord[]> {
    const paths = files.map((file) => quoted(join(this.#folder, fileName(file))));
    const result = await connection.runAndReadAll(
      `select ${selectedFields} from read_parquet([${paths.join(', ')}])
      where ${condition} order by occurred_at desc, id desc limit ${Math.trunc(limit)}`,
      { ...values },
    );
    return result.getRowObjectsJS().map(toRecord);
  }

  /** A file is compared with its digest whenever it looks other than the last time. */
  async #verify(file: FileIdentity): Promise<void> {
    const path = join(this.#folder, fileName(file));
    const looks = await looksOf(path);
    if (this.#verified.get(path) === looks) return;
    if ((await digestOf(path)) !== file.digest) {
      throw new Error(`${fileName(file)} is not the file that was written: its digest differs`);
    }
    this.#verified.set(path, looks);
  }

  async #requireVerified(file: FileIdentity): Promise<void> {
    const path = join(this.#folder, fileName(file));
    if (this.#verified.get(path) === (await looksOf(path))) return;
    throw new Error(`${fileName(file)} has been changed while it was read`);
  }

  #open(): Promise<DuckDBInstance> {
    this.#instance ??= openDuckDb(':memory:', memoryLimit).then(async (instance) => {
      const connection = await instance.connect();
      await restrictToFolder(connection, this.#folder);
      connection.closeSync();
      return instance;
    });
    // Another try may find what is missing now.
    this.#instance.catch(() => {
      this.#instance = null;
    });
    return this.#instance;
  }
}

export interface OpenFiles {
  /** The newest records of these files together. */
  newest(files: readonly FileIdentity[], question: FileQuestion): Promise<AccessRecord[]>;
}

async function looksOf(path: string): Promise<string> {
  const { size, ino, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [size, ino, mtimeNs, ctimeNs].join(' ');
}
