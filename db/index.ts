import type { MikroORM } from '@mikro-orm/postgresql';
import type { Repositories } from '#core';
import { createPartitionsAhead } from './access-record-months.ts';
import { type Connections, openConnections, type Target } from './connections.ts';
import { type EmbeddedDatabase, openEmbedded } from './embedded/index.ts';
import { readSchemaState, runMigrations, type SchemaState } from './migrator.ts';
import { translated } from './outages.ts';
import { genericPlans, plainStatements, preparedStatements } from './prepared-statements.ts';
import { RefusalQueue, type RefusalQueueSettings } from './refusal-queue.ts';
import { refusalInsertion } from './repositories/access-records.ts';
import { createRepositories } from './repositories/index.ts';
import {
  batchLimits,
  type DatabaseConfig,
  defaultLimits,
  embeddedPatience,
  type Limits,
  refusalLimits,
} from './settings.ts';
import { read, type Store, sql } from './store.ts';
import type { Stores } from './stores.ts';
import { withinTime } from './within-time.ts';

export type { SchemaState } from './migrator.ts';
export type { DatabaseConfig, Limits } from './settings.ts';

export interface Database {
  readonly repositories: Repositories;
  /** Whether this is PGlite in the data folder. */
  readonly isEmbedded: boolean;
  /** Brings the schema up to date. Any number of processes may do so at once. */
  migrate(): Promise<void>;
  /**
   * Makes room for the access records of this month and the next ones; to be called at least once a month. Needs the
   * right to change the schema only when something is missing; until it is there, nothing is lost.
   */
  createPartitionsAhead(now: Date): Promise<void>;
  /** Takes the last migration back, and with it the data that only it knew. */
  migrateDown(): Promise<void>;
  /** Which migrations the database lacks, and which it has that this code does not know. */
  schemaState(): Promise<SchemaState>;
  /** Whether the database answers in time. Never rejects. */
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
  const { onError = () => undefined, onRefusalsDropped = () => undefined } = config;
  const limits = {
    ...defaultLimits,
    ...(config.databaseUrl === null ? embeddedPatience : {}),
    ...config.limits,
  };
  const embedded =
    config.databaseUrl === null ? await openEmbedded({ ...config, limits, onError }) : null;
  const target = targetOf(config, embedded);
  const requests = openConnections(target, { ...limits, onError });
  const longWork = openConnections(target, {
    connections: 3,
    acquireMilliseconds: limits.acquireMilliseconds,
    statementMilliseconds: null,
    onError,
  });
  const questions =
    embedded === null
      ? openConnections(target, {
          ...limits,
          connections: limits.questionConnections,
          server: genericPlans,
          onError,
        })
      : null;
  return createDatabase({ requests, questions, longWork }, embedded, limits, {
    onError,
    onRefusalsDropped,
  });
}

function targetOf({ databaseUrl }: DatabaseConfig, embedded: EmbeddedDatabase | null): Target {
  if (databaseUrl !== null) return { url: databaseUrl };
  if (embedded === null) throw new Error('neither a URL nor an embedded database');
  return { socketFolder: embedded.socketFolder };
}

interface Pools {
  readonly requests: Connections;
  /** Null in the embedded database, where they go the way of the requests. */
  readonly questions: Connections | null;
  readonly longWork: Connections;
}

function createDatabase(
  { requests, questions, longWork }: Pools,
  embedded: EmbeddedDatabase | null,
  limits: Limits,
  events: Pick<RefusalQueueSettings, 'onError' | 'onRefusalsDropped'>,
): Database {
  const store = storeOf(requests.orm);
  const patientStore = storeOf(longWork.orm);
  const isEmbedded = embedded !== null;
  const stores: Stores = {
    requests: store,
    questions:
      questions === null
        ? plainStatements(store)
        : preparedStatements(storeOf(questions.orm), questions.pool),
    longWork: patientStore,
  };
  const refusals = new RefusalQueue({
    ...refusalLimits,
    ...events,
    write: (records, isRepetition) => stores.questions.run(refusalInsertion(records, isRepetition)),
  });
  const run = (direction: 'up' | 'down') =>
    translated(runMigrations(longWork.orm, direction, isEmbedded));
  let closing: Promise<void> | undefined;

  return {
    repositories: createRepositories(stores, batchLimits(limits), refusals),
    isEmbedded,
    migrate: () => run('up'),
    createPartitionsAhead: (now) => translated(createPartitionsAhead(patientStore, now)),
    migrateDown: () => run('down'),
    schemaState: () => translated(readSchemaState(store)),
    ping: (timeoutMilliseconds) => ping(stores, timeoutMilliseconds),
    tryWrite: (timeoutMilliseconds) =>
      succeeds(read(store, sql`select check_write()`), timeoutMilliseconds),
    close() {
      closing ??= (async () => {
        await refusals.settle(settleMilliseconds);
        await Promise.all([requests, questions, longWork].map((pool) => pool?.close()));
        refusals.close();
        await embedded?.close();
      })();
      return closing;
    },
  };
}

/** How long closing tries to write what no call waits for. */
const settleMilliseconds = 5_000;

function storeOf({ em }: MikroORM): Store {
  return { em: em.fork(), kysely: em.getKysely() };
}

/** By both ways that a request takes. */
function ping({ requests, questions }: Stores, timeoutMilliseconds: number): Promise<boolean> {
  const statement = sql`select 1`;
  return succeeds(
    Promise.all([read(requests, statement), questions.run(statement)]),
    timeoutMilliseconds,
  );
}

async function succeeds(work: Promise<unknown>, timeoutMilliseconds: number): Promise<boolean> {
  const success = work.then(
    () => true,
    () => false,
  );
  return (await withinTime(success, timeoutMilliseconds)) ?? false;
}
