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
  /** The number of refusals whose records may not be written yet. */
  readonly refusalsWaiting: number;
}

export interface Database {
  readonly repositories: Repositories;
  /** The same repositories on other connections, for work without a waiting caller. */
  readonly backgroundRepositories: Repositories;
  load(): DatabaseLoad;
  /** The server's clock. Each decision about access and each ping update it. */
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  /**
   * Applies pending migrations. Any number of processes may call it at once.
   *
   * @throws StorageError if `isPooled` is set
   */
  migrate(): Promise<void>;
  /**
   * Creates the partitions for the access records of the next two weeks. Must be called at least daily. Needs the right
   * to change the schema only if one is missing. Records of a day without a partition go to the default partition.
   */
  createPartitionsAhead(now: Date): Promise<void>;
  /** Reverts the last migration and deletes its data. */
  migrateDown(): Promise<void>;
  schemaState(): Promise<SchemaState>;
  inspect(): Promise<Inspection>;
  missingSettings(): Promise<readonly string[]>;
  /** True if background work and requests use the same role. */
  readonly isOneRole: boolean;
  /** Compares the rights of the connected role with those in roles.sql. */
  compareRights(kind: RoleKind): Promise<RoleRights>;
  /** The roles of this process that lack rights. */
  missingRights(): Promise<readonly RoleRights[]>;
  /** The names of the roles of roles.sql if one lacks rights. Null if none lacks rights, or if none exists. */
  outdatedRoles(): Promise<Partial<RoleNames> | null>;
  /** Runs roles.sql with the role of this connection. */
  applyRoles(names: RoleNames): Promise<void>;
  /** Returns true if the database answers in time and is writable. Never rejects. */
  ping(timeoutMilliseconds: number): Promise<boolean>;
  /** Returns true if a test write can be committed in time. Leaves nothing behind. Never rejects. */
  tryWrite(timeoutMilliseconds: number): Promise<boolean>;
  /** Waits a few seconds for running work, then closes everything. */
  close(): Promise<void>;
}
