import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { backends, settingsOf } from '../support/backends.ts';

/** Migrates the configured database as the service does, and returns its use cases. */
export async function openDatabase(
  environment: Readonly<Record<string, string>>,
  onError: (error: unknown) => void = fail,
): Promise<Composition> {
  const config = readConfig(environment);
  const composition = await compose(config, {
    role: 'service',
    rateLimiter: createRateLimiter({ ...config.rateLimit, redisUrls: null }),
    onError,
  });
  await composition.database.migrate();
  return composition;
}

function fail(error: unknown): never {
  throw error;
}

export const openEmbedded = (dataDir: string) => openDatabase({ DATA_DIR: dataDir });

export interface OwnDatabase {
  readonly composition: Composition;
  /** For files of the test. */
  readonly folder: string;
  close(): Promise<void>;
}

/**
 * Only this caller uses the database. It is embedded in a full run, or without a PostgreSQL server.
 * `settings` returns more settings for a database whose files are in the folder.
 */
export async function openOwnDatabase(
  settings: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<OwnDatabase> {
  const [backend] = backends;
  if (backend === undefined) throw new Error('there is always a database');
  const { storage, release } = await backend.open();
  const folder = await mkdtemp(join(inject('dataFolder'), 'cli-'));
  let isClosing = false;
  const composition = await openDatabase(
    {
      ...settingsOf(storage),
      ...('databaseUrl' in storage && { SIGNING_KEY_FILE: inject('signingKeyFile') }),
      ...settings(folder),
    },
    // The server may close a connection before the database is dropped.
    (error) => isClosing || fail(error),
  );
  return {
    composition,
    folder,
    async close() {
      isClosing = true;
      await composition.database.close();
      await rm(folder, { recursive: true });
      await release();
    },
  };
}
