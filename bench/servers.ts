import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { dropRoles } from './data/roles.ts';
import { redisUrl, serverUrl } from './settings.ts';

export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns an error text if PostgreSQL or Redis can't be used. Otherwise returns null. */
export const whyNoServers = async (): Promise<string | null> =>
  (await whyNoPostgres()) ?? (await whyNoRedis());

async function whyNoPostgres(): Promise<string | null> {
  try {
    await withClient(serverUrl, (client) => client.query('select 1'));
    return null;
  } catch (error) {
    return `no PostgreSQL at ${withoutSecret(serverUrl)} (set BENCH_DATABASE_URL): ${String(error)}`;
  }
}

async function whyNoRedis(): Promise<string | null> {
  const redis = new Redis(redisUrl, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
    return null;
  } catch (error) {
    return `no Redis at ${withoutSecret(redisUrl)} (set BENCH_REDIS_URL): ${String(error)}`;
  } finally {
    redis.disconnect();
  }
}

const withoutSecret = (url: string) => url.replace(/\/\/.*@/, '//');

export async function createDatabase() {
  const name = `portfolio_access_bench_${randomBytes(4).toString('hex')}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    drop: () =>
      withClient(serverUrl, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
        await client.query(`drop role if exists ${name}_reader; ${dropRoles(name)}`);
      }),
  };
}

export function endWithUs(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL');
  process.on('exit', end);
  child.once('exit', () => process.off('exit', end));
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
