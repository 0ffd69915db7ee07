import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { Redis } from 'ioredis';
import { root } from './migrate.ts';
import { withClient } from './servers.ts';
import { redisUrl, serverUrl } from './settings.ts';

export interface Machine {
  readonly at: string;
  readonly commit: string;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly kernel: string;
  /** The machine's load average before the run. It is near 0 if no other work was running. */
  readonly loadBefore: number;
  readonly node: string;
  readonly postgres: string;
  readonly postgresSettings: Readonly<Record<string, string>>;
  readonly redis: string;
}

const settings = [
  'shared_buffers',
  'synchronous_commit',
  'fsync',
  'full_page_writes',
  'max_wal_size',
  'jit',
];

export async function describeMachine(): Promise<Machine> {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    commit: describeCommit(),
    cpu: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    loadBefore: loadavg()[0] ?? 0,
    node: process.version,
    ...(await describePostgres()),
    redis: await describeRedis(),
  };
}

function describeCommit(): string {
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--', '.', ':!bench/results.*') !== '';
    return git('rev-parse', '--short=12', 'HEAD') + (changed ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}

function describePostgres() {
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query(
      'select name, setting || coalesce($2::text || unit, $3) as value from pg_settings where name = any($1)',
      [settings, ' × ', ''],
    );
    const version = await client.query('show server_version');
    return {
      postgres: String(version.rows[0].server_version),
      postgresSettings: Object.fromEntries(rows.map(({ name, value }) => [name, value])),
    };
  });
}

async function describeRedis(): Promise<string> {
  const redis = new Redis(redisUrl);
  const information = await redis.info('server');
  redis.disconnect();
  return /redis_version:(\S+)/.exec(information)?.[1] ?? 'unknown';
}
