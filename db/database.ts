import type { Clock, Repositories } from '#core';
import type { Inspection } from './connections/inspection.ts';
import type { PoolState } from './connections/pool-guard.ts';
import type { PoolName } from './connections/settings.ts';
import type { SchemaState } from './migrations/migrator.ts';
import type { RoleKind, RoleNames } from './roles/expected-rights.ts';
import type { RoleRights } from './roles/rights.ts';

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
  /** The clock of the server. It is read with each admission and each ping. */
  readonly clock: Clock;
  /** Whether this is PGlite in the data folder. */
  readonly isEmbedded: boolean;
  /**
   * Brings the schema up to date. Any number of processes may do so at once.
   *
   * @throws StorageError if `isPooled` is set
   */
  migrate(): Promise<void>;
  /**
   * Makes the partitions for the access records of this day and the next ones; to be called at least once a day. Needs the
   * right to change the schema only when something is missing; until it is there, nothing is lost.
   */
  createPartitionsAhead(now: Date): Promise<void>;
  /** Takes the last migration back, and with it the data that only it knew. */
  migrateDown(): Promise<void>;
  /** Which migrations the database lacks, and which it has that this code does not know. */
  schemaState(): Promise<SchemaState>;
  /** How the server is. */
  inspect(): Promise<Inspection>;
  /** The settings that the service relies on and that its sessions lack. */
  missingSettings(): Promise<readonly string[]>;
  /** Whether what works for everybody and the requests of one owner come as the same role. */
  readonly isOneRole: boolean;
  /** Compares the rights of the connected role with those of a kind of role in roles.sql. */
  compareRights(kind: RoleKind): Promise<RoleRights>;
  /** The roles of a service that lack rights, each with those that are missing. */
  missingRights(): Promise<readonly RoleRights[]>;
  /** Null: there are no roles of roles.sql, or they have their rights; else those of them that can be told. */
  outdatedRoles(): Promise<Partial<RoleNames> | null>;
  /** Runs roles.sql, as the role of this connection. */
  applyRoles(names: RoleNames): Promise<void>;
  /** Whether the database answers in time, as one that may be written. Never rejects. */
  ping(timeoutMilliseconds: number): Promise<boolean>;
  /** Whether something could be written, committed and given room in time; nothing is left of it. Never rejects. */
  tryWrite(timeoutMilliseconds: number): Promise<boolean>;
  /** Waits a few seconds for what is under way, then lets go of everything. */
  close(): Promise<void>;
}
