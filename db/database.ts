import type { Clock, Repositories } from '#core';
import type { Inspection } from './connections/inspection.ts';
import type { PoolState } from './connections/pool-guard.ts';
import type { PoolName } from './connections/settings.ts';
import type { SchemaState } from './migrations/migrator.ts';
import type { RoleKind, RoleNames } from './roles/expected-rights.ts';
import type { RoleRights } from './roles/rights.ts';

/** This process's load on the database. */
export interface DatabaseLoad {
  /** The embedded database answers batches with the connections of requests. */
  readonly pools: Readonly<Partial<Record<PoolName, PoolState>>>;
  /** Records of refusals that may not be written yet. */
  readonly refusalsWaiting: number;
}

export interface Database {
  readonly repositories: Repositories;
  /** The same with separate connections, for work without a waiting caller. */
  readonly backgroundRepositories: Repositories;
  load(): DatabaseLoad;
  /** The server's clock, updated by each admission and ping. */
  readonly clock: Clock;
  /** True for PGlite in the data folder. */
  readonly isEmbedded: boolean;
  /**
   * Applies pending migrations. Any number of processes may call it at once.
   *
   * @throws StorageError if `isPooled` is set
   */
  migrate(): Promise<void>;
  /**
   * Creates the partitions for the access records of today and the next days. Must be called at least daily. Needs the
   * right to
   * change the schema only if one is missing. Without it, records go to the default partition and nothing is lost.
   */
  createPartitionsAhead(now: Date): Promise<void>;
  /** Reverts the last migration, and deletes the data that only it had. */
  migrateDown(): Promise<void>;
  /** The pending migrations, and those that this code doesn't know. */
  schemaState(): Promise<SchemaState>;
  /** Returns facts about the server. */
  inspect(): Promise<Inspection>;
  /** The required settings that the sessions lack. */
  missingSettings(): Promise<readonly string[]>;
  /** True if background work and requests use the same role. */
  readonly isOneRole: boolean;
  /** Compares the rights of the connected role with those in roles.sql. */
  compareRights(kind: RoleKind): Promise<RoleRights>;
  /** The roles of the service that lack rights, with the missing ones. */
  missingRights(): Promise<readonly RoleRights[]>;
  /** Null if there are no roles of roles.sql or none lacks rights. Otherwise the names that are known. */
  outdatedRoles(): Promise<Partial<RoleNames> | null>;
  /** Runs roles.sql with this connection's role. */
  applyRoles(names: RoleNames): Promise<void>;
  /** Returns true if the database answers in time and is writable. Never rejects. */
  ping(timeoutMilliseconds: number): Promise<boolean>;
  /** Returns true if a test write can be committed in time. It leaves nothing behind. Never rejects. */
  tryWrite(timeoutMilliseconds: number): Promise<boolean>;
  /** Waits a few seconds for running work, then closes everything. */
  close(): Promise<void>;
}
