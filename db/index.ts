import { type Clock, OperatorError, type Repositories } from '#core';
import { createPartitionsAhead } from './access-record-partitions.ts';
import { createAccessRecordArchive } from './archive/index.ts';
import { openConnections, type PoolSettings, type Target } from './connections.ts';
import { type Inspection, inspect } from './inspection.ts';
import { readSchemaState, runMigrations, type SchemaState } from './migrator.ts';
import type { PoolState } from './pool-guard.ts';
import { isPooled, missingSettings, type Sessions, settingsOfRole, unhurried } from './pooler.ts';
import { genericPlans, preparedStatements, quickPlans } from './prepared-statements.ts';
import { confirmation, runConfirmed } from './primary.ts';
import { RefusalQueue } from './refusal-queue.ts';
import { refusalInsertion } from './repositories/access-records.ts';
import { createRepositories } from './repositories/index.ts';
import {
  compareRights,
  type RoleKind,
  type RoleNames,
  type RoleRights,
  rolesSql,
} from './roles/rights.ts';
import { ServerClock } from './server-clock.ts';
import {
  archiveMilliseconds,
  batchLimits,
  type DatabaseConfig,
  defaultLimits,
  embeddedLimits,
  type PoolName,
  refusalLimits,
  timeLimits,
} from './settings.ts';
import { type Stores, sql } from './store.ts';
import { withinTime } from './within-time.ts';

export { type AnsweredBatch, batchNames } from './batch.ts';
export type { Inspection } from './inspection.ts';
export type { SchemaState } from './migrator.ts';
export { poolerSql, type Sessions } from './pooler.ts';
export { type RoleNames, rolesSql } from './roles/rights.ts';
export type { DatabaseConfig, DatabaseObserver, Limits, PoolName } from './settings.ts';

/** How busy this process keeps the database. */
export interface DatabaseLoad {
  /** The embedded database answers batches by the connections of requests. */
  readonly pools: Readonly<Partial<Record<PoolName, PoolState>>>;
  /** Records of refusals that are not known to be written. */
  readonly refusalsWaiting: number;
}

export interface Database {
  readonly repositories: Repositories;
  /** The same over connections of their own, for what no caller waits for. */
  readonly backgroundRepositories: Repositories;
  load(): DatabaseLoad;
  /** That of the server, as far as it was asked: whoever is let in and each ping ask it. */
  readonly clock: Clock;
  /** Whether this is PGlite in the data folder. */
  readonly isEmbedded: boolean;
  /**
   * Brings the schema up to date. Any number of processes may do so at once.
   *
   * @throws OperatorError through a pooler
   */
  migrate(): Promise<void>;
  /**
   * Makes room for the access records of this day and the next ones; to be called at least once a day. Needs the
   * right to change the schema only when something is missing; until it is there, nothing is lost.
   */
  createPartitionsAhead(now: Date): Promise<void>;
  /** Takes the last migration back, and with it the data that only it knew. */
  migrateDown(): Promise<void>;
  /** Which migrations the database lacks, and which it has that this code does not know. */
  schemaState(): Promise<SchemaState>;
  /** How the server is. */
  inspect(): Promise<Inspection>;
  /** Whether the sessions that statements come to are as the service needs them. */
  inspectSessions(): Promise<Sessions>;
  /** Compares the rights of the connected role with those of a kind of role in roles.sql. */
  compareRights(kind: RoleKind): Promise<RoleRights>;
  /** Runs roles.sql, as the role of this connection. */
  applyRoles(names: RoleNames): Promise<void>;
  /** Whether the database answers in time, as one that may be written. Never rejects. */
  ping(timeoutMilliseconds: number): Promise<boolean>;
  /** Whether something could be written, committed and given room in time; nothing is left of it. Never rejects. */
  tryWrite(timeoutMilliseconds: number): Promise<boolean>;
  /** Waits a few seconds for what is under way, then lets go of everything. */
  close(): Promise<void>;
}

/**
 * PostgreSQL is not connected to before the first call, so this succeeds while it is down; the embedded database is
 * open when this resolves.
 *
 * @throws DataDirError when another process owns the embedded database and will not leave
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { databaseUrl, onError = () => undefined, onRefusalsDropped = () => undefined } = config;
  const isEmbedded = databaseUrl === null;
  const limits = { ...defaultLimits, ...(isEmbedded && embeddedLimits), ...config.limits };
  const embedded = isEmbedded
    ? await (await import('./embedded/index.ts')).openEmbedded({ ...config, limits, onError })
    : null;
  const target: Target = embedded ?? { url: databaseUrl ?? '' };
  const { observer } = config;
  const open = (name: PoolName, settings: Partial<PoolSettings> = {}) =>
    openConnections(target, {
      ...limits,
      onError,
      server: quickPlans,
      isPooled: config.isPooled ?? false,
      onWaited: observer && ((milliseconds) => observer.waited(name, milliseconds)),
      ...settings,
    });

  const requests = open('requests');
  const background = open('background', { connections: limits.backgroundConnections });
  const longWork = open('long_work', {
    connections: longWorkConnections,
    statementMilliseconds: null,
    server: { ...quickPlans, ...unhurried },
    inTransactions: unhurried,
  });
  // PGlite has one session for all connections, in which a name stands for the statement of whoever came last.
  const batches = isEmbedded
    ? null
    : open('batches', { connections: limits.batchConnections, server: genericPlans });
  const stores: Stores = {
    requests: requests.store,
    batches:
      batches === null
        ? requests.store
        : preparedStatements(batches.pool, batches.orm.em.getKysely(), config.onUnprepared),
    longWork: longWork.store,
    clock: new ServerClock(),
  };
  const backgroundStores: Stores = {
    ...stores,
    requests: background.store,
    batches: background.store,
  };
  const refusals = new RefusalQueue({
    ...refusalLimits,
    onError,
    onRefusalsDropped,
    async write(records, isRepetition) {
      const now = stores.clock.now();
      const [told] = await stores.batches.run(refusalInsertion(records, { isRepetition, now }));
      return told?.leftOut ?? 0;
    },
  });
  async function migrate(direction: 'up' | 'down'): Promise<void> {
    if (!isEmbedded && (await isPooled(longWork))) {
      throw new OperatorError('conflict', notThroughPooler);
    }
    await runMigrations(longWork.orm, direction, isEmbedded);
  }

  /** Through a pooler all connections have the same sessions; otherwise each asks for what it needs. */
  async function missing(): Promise<string[]> {
    if (config.isPooled) return missingSettings(stores.requests, settingsOfRole);
    const ofBatches = batches && missingSettings(batches.store, genericPlans);
    const limitsOfTime = timeLimits(limits.statementMilliseconds);
    const found = await Promise.all([
      ofBatches,
      missingSettings(stores.requests, limitsOfTime),
      isEmbedded ? null : missingSettings(longWork.store, unhurried),
    ]);
    return [...new Set(found.flatMap((names) => names ?? []))];
  }

  let closing: Promise<void> | undefined;

  const archive = createAccessRecordArchive(stores, {
    folder: config.archiveDir ?? null,
    readMilliseconds: archiveMilliseconds[config.role],
    onError,
  });

  return {
    repositories: createRepositories(stores, batchLimits(limits, observer), refusals, archive),
    backgroundRepositories: createRepositories(
      backgroundStores,
      batchLimits(limits),
      refusals,
      archive,
    ),
    load: () => ({
      pools: {
        requests: requests.state,
        ...(batches && { batches: batches.state }),
        background: background.state,
        long_work: longWork.state,
      },
      refusalsWaiting: refusals.size,
    }),
    isEmbedded,
    clock: stores.clock,
    migrate: () => migrate('up'),
    migrateDown: () => migrate('down'),
    createPartitionsAhead: (now) => createPartitionsAhead(stores.longWork, now),
    schemaState: () => readSchemaState(stores.requests),
    inspect: () => inspect(stores.requests),
    inspectSessions: async () =>
      isEmbedded
        ? { isPooled: false, missing: [] }
        : { isPooled: await isPooled(requests), missing: await missing() },
    compareRights: (kind) => compareRights(stores.requests, kind),
    async applyRoles(names) {
      await stores.longWork.run(sql.raw(rolesSql(names)));
    },
    ping(timeoutMilliseconds) {
      const asked = Promise.all([
        stores.requests.run(confirmation),
        runConfirmed(stores, confirmation),
      ]);
      const isWritable = asked.then(
        (answers) => answers.flat().every(({ isReadOnly }) => !isReadOnly),
        () => false,
      );
      return inTime(isWritable, timeoutMilliseconds);
    },
    tryWrite: (timeoutMilliseconds) =>
      inTime(
        stores.requests.run(sql`select check_write()`).then(
          () => true,
          () => false,
        ),
        timeoutMilliseconds,
      ),
    close() {
      closing ??= (async () => {
        await refusals.settle(settleMilliseconds);
        await Promise.all([requests, background, batches, longWork].map((pool) => pool?.close()));
        refusals.close();
        await embedded?.close();
      })();
      return closing;
    },
  };
}

const longWorkConnections = 3;

const notThroughPooler =
  'a pooler stands before the database; migrate straight on PostgreSQL: name it in DATABASE_URL, without DATABASE_POOLER';

/** How long closing tries to write the records that no call waits for. */
const settleMilliseconds = 5_000;

async function inTime(work: Promise<boolean>, timeoutMilliseconds: number): Promise<boolean> {
  return (await withinTime(work, timeoutMilliseconds)) ?? false;
}
