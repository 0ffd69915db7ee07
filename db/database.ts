import type { Clock, Repositories } from '#core';
import type { Inspection } from './connections/inspection.ts';
import type { PoolState } from './connections/pool-guard.ts';
import type { PoolName } from './connections/settings.ts';
import type { SchemaState } from './migrations/migrator.ts';
import type { RoleKind, RoleNames } from './roles/expected-rights.ts';
import type { RoleRights } from './roles/rights.ts';

export interface DatabaseLoad {
  /** The embedded database has no pools `batches` and `scoped`. */
  readonly pools: Readonly<Partial<Record<PoolName, PoolState>>>;
  /** The number of refusals whose records may still be unwritten. */
  readonly refusalsWaiting: number;
}

export interface Database {
  readonly repositories: Repositories;
  /** The same repositories on other connections, for work that no caller waits for. */
  readonly backgroundRepositories: Repositories;
  load(): DatabaseLoad;
  /** The server's clock. Each decision about access and each ping update the clock. */
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  /**
   * Runs pending migrations. Several processes may call this at once.
   *
   * @throws StorageError if `isPooled` is set
   */
  migrate(): Promise<void>;
  /**
   * Creates the partitions for the access records of the next two weeks. Must be called at least once a day. Needs the
   * right to change the schema only if a partition is missing. If a date has no partition, its records go to the
   * default partition.
   */
  createPartitionsAhead(now: Date): Promise<void>;
  /** Reverts the last migration and deletes the data of this migration. */
  migrateDown(): Promise<void>;
  schemaState(): Promise<SchemaState>;
  inspect(): Promise<Inspection>;
  findMissingSettings(): Promise<readonly string[]>;
  /** True if background work and requests use the same role. */
  readonly isOneRole: boolean;
  compareRights(kind: RoleKind): Promise<RoleRights>;
  missingRights(): Promise<readonly RoleRights[]>;
  /** Returns the roles of roles.sql if one of them lacks rights. Otherwise, or if no such role exists, returns null. */
  outdatedRoles(): Promise<Partial<RoleNames> | null>;
  /** Runs roles.sql with these role names. */
  applyRoles(names: RoleNames): Promise<void>;
  /** Returns true if the database answers in time and is writable. Never rejects. */
  ping(timeoutMilliseconds: number): Promise<boolean>;
  /** Returns true if a test write can be committed in time. The test write stores no rows. Never rejects. */
  tryWrite(timeoutMilliseconds: number): Promise<boolean>;
  /** Waits a few seconds for running work, then closes all connections. */
  close(): Promise<void>;
}
