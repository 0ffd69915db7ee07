import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { StorageError } from '../storage-error.ts';

/** One thread and little memory, so that reads of data have the rest; it fetches nothing from anywhere. */
const settings = {
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
} as const;

/** Loaded when it is needed for the first time: a service without an archive need not have it. */
export async function loadDuckDb() {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    const message = `the archive needs the package @duckdb/node-api, which cannot be loaded here: ${
      cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    }`;
    throw new StorageError(message, { cause });
  }
}

/** @param path of its own file; what is written there needs no memory */
export async function openDuckDb(path: string, memoryLimit: string): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await loadDuckDb();
  return DuckDBInstance.create(path, { ...settings, memory_limit: memoryLimit });
}

/** From here on statements reach files of the folder alone. */
export async function restrictToFolder(
  connection: DuckDBConnection,
  folder: string,
): Promise<void> {
  await connection.run(`set allowed_directories = [${quoted(`${folder}/`)}]`);
  await connection.run(`set temp_directory = ''`);
  await connection.run('set enable_external_access = false');
  await connection.run('set lock_configuration = true');
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
