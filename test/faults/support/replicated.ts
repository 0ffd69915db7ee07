import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openDatabase } from '#db';
import { postgresPrograms } from '../../support/own-postgres.ts';
import { PostgresCluster } from './cluster.ts';
import { until } from './until.ts';

/** If no PostgreSQL servers can be created here, prints the reason. */
export const canMakeClusters = postgresPrograms !== null && process.platform === 'linux';
if (!canMakeClusters) {
  console.error(
    'SKIPPED: faults of PostgreSQL: no PostgreSQL is installed here, or this is no Linux',
  );
}

/** PostgreSQL's own user may enter the folder. */
export async function createServersFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('dataFolder'), 'servers-'));
  await chmod(folder, 0o755);
  return folder;
}

export async function migrate(databaseUrl: string): Promise<void> {
  const database = await openDatabase({ databaseUrl, dataDir: '', role: 'command' });
  await database.migrate();
  await database.close();
}

export async function startSingle(settings: Readonly<Record<string, string>> = {}, given?: string) {
  const folder = given ?? (await createServersFolder());
  const server = await PostgresCluster.create('single', folder, settings);
  await server.start();
  await migrate(server.url);
  return {
    server,
    async dispose() {
      await server.dispose();
      if (given === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The standbys that must confirm a commit of the primary. */
export type Confirmation = 'any standby' | 'no standby';

/** A primary and its standbys. A failover makes a standby the primary. */
export class ReplicatedServers {
  readonly #folder: string;
  readonly #confirmation: Confirmation;
  primary: PostgresCluster;
  standbys: PostgresCluster[];

  private constructor(folder: string, primary: PostgresCluster, confirmation: Confirmation) {
    this.#folder = folder;
    this.#confirmation = confirmation;
    this.primary = primary;
    this.standbys = [];
  }

  static async start(standbys: number, confirmation: Confirmation): Promise<ReplicatedServers> {
    const folder = await createServersFolder();
    const [first = '', ...others] = ['a', 'b', 'c'].slice(0, standbys + 1);
    const primary = await PostgresCluster.create(first, folder);
    await primary.start();
    await migrate(primary.url);
    const servers = new ReplicatedServers(folder, primary, confirmation);
    for (const name of others) {
      const standby = await PostgresCluster.copy(name, folder, primary);
      await standby.start();
      servers.standbys.push(standby);
    }
    await servers.require();
    return servers;
  }

  /** Makes each commit of the primary wait until one standby confirms it. */
  async require(): Promise<void> {
    const names = this.standbys.map(({ name }) => name).join(', ');
    const isRequired = this.#confirmation === 'any standby';
    await this.primary.set({ synchronous_standby_names: isRequired ? `ANY 1 (${names})` : '' });
    await until(async () => {
      const rows = await this.primary.query(
        `select from pg_stat_replication where state = 'streaming' and sync_state in ('quorum', 'async')`,
      );
      return rows.length === this.standbys.length;
    });
  }

  /**
   * Promotes the standby with the newest data after the given standbys have left the old primary.
   * If all have left, the old primary can't confirm commits, so no confirmed commit is lost.
   * Returns the old primary, which doesn't notice the failover.
   */
  async failOver(leaving: 'every standby' | 'the new primary'): Promise<PostgresCluster> {
    const old = this.primary;
    if (leaving === 'every standby') {
      await Promise.all(this.standbys.map((standby) => standby.follow(null)));
    }
    const received = await Promise.all(
      this.standbys.map(async (standby) => {
        const [row] = await standby.query(
          `select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::float8 as position`,
        );
        return { standby, position: Number(row?.position) };
      }),
    );
    const [next] = received.toSorted((one, other) => other.position - one.position);
    if (next === undefined) throw new Error('no standby can take over');
    await next.standby.promote();
    this.primary = next.standby;
    this.standbys = this.standbys.filter((standby) => standby !== next.standby);
    return old;
  }

  /** Makes the old primary and all servers that follow it standbys of the new primary. */
  async rejoin(old: PostgresCluster): Promise<void> {
    await old.stop('immediate');
    for (const standby of this.standbys) await standby.stop('immediate');
    this.standbys.push(old);
    for (const standby of this.standbys) {
      await standby.copyFrom(this.primary);
      await standby.start();
    }
    await this.require();
  }

  async dispose(): Promise<void> {
    for (const server of [this.primary, ...this.standbys]) await server.dispose();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
