import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { poolerSql } from '#db';
import { backgroundUrlOf } from '../../db/connections/pools.ts';
import { withClient } from './databases.ts';
import { findPostgresOwner } from './own-postgres.ts';
import { findFreePort } from './redis.ts';

export interface Pgbouncer {
  /** Returns a URL for the same database and role through the pooler. */
  urlOf(url: string): string;
  /** False if each session has to prepare each statement itself. */
  readonly knowsPreparedStatements: boolean;
  stop(): Promise<void>;
}

interface PgbouncerOptions {
  /** The pooler accepts these parameters, but doesn't pass them on to the server. */
  readonly ignored?: readonly string[];
}

const program =
  process.env.TEST_PGBOUNCER ??
  ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync) ??
  null;

/** Null if PgBouncer is installed, otherwise the reason why it can't be used. */
export const whyNoPgbouncer: string | null =
  program === null ? 'no pgbouncer is installed (TEST_PGBOUNCER)' : null;

/** Version 1.21, the first one with prepared statements. */
const firstToKnow = 1021;

/** Stops the pooler when the process that started it ends, for whatever reason. */
const untilInputEnds = '"$0" "$1" & exec 2>/dev/null; read -r _; kill -9 $!; wait';

async function readVersion(): Promise<number> {
  const { stdout } = await promisify(execFile)(program ?? '', ['--version']);
  const [, major = '', minor = ''] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) * 1000 + Number(minor);
}

/**
 * A pooler in transaction mode. It takes its few sessions in turn, so two transactions of one
 * connection rarely share a session.
 */
export async function startPgbouncer(
  serverUrl: string,
  { ignored = [] }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  if (program === null) throw new Error(whyNoPgbouncer ?? '');
  const server = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const { uid, gid } = await findPostgresOwner();
  await chmod(folder, 0o755);
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  const port = await findFreePort();
  const [user, password] = [server.username, server.password].map(decodeURIComponent);
  const usersFile = join(folder, 'users.txt');
  const background = new URL(backgroundUrlOf(serverUrl)).username;
  const users = new Set([user, decodeURIComponent(background)]);
  await writeFile(usersFile, [...users].map((name) => `"${name}" "${password}"\n`).join(''));
  const file = join(folder, 'pgbouncer.ini');
  const knowsPreparedStatements = (await readVersion()) >= firstToKnow;
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port || '5432'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${usersFile}
pool_mode = transaction
default_pool_size = 6
server_round_robin = 1
ignore_startup_parameters = ${ignored.join(', ')}
${knowsPreparedStatements ? 'max_prepared_statements = 200' : ''}
`,
  );
  const child = spawn('sh', ['-c', untilInputEnds, program, file], {
    uid,
    gid,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  await untilItSays(createInterface(child.stderr), 'process up');
  return {
    knowsPreparedStatements,
    urlOf(url) {
      const target = new URL(url);
      target.host = `127.0.0.1:${port}`;
      return target.href;
    },
    async stop() {
      child.stdin.end();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilItSays(lines: AsyncIterable<string>, words: string): Promise<void> {
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    if (line.includes(words)) return;
  }
  throw new Error(`pgbouncer ended: ${said.join('\n')}`);
}

/** Configures both roles of a service for a pooler, as docs/production.md describes. */
export async function setUpRole(url: string): Promise<void> {
  for (const own of new Set([url, backgroundUrlOf(url)])) {
    const role = decodeURIComponent(new URL(own).username);
    await withClient(own, (client) => client.query(poolerSql(role)));
  }
}
