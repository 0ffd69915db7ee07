import type {
  EntityData,
  EntityManager,
  EntityName,
  FilterQuery,
  InferKyselyDB,
  RequiredEntityData,
  Transaction,
} from '@mikro-orm/postgresql';
import {
  CamelCasePlugin,
  type CompiledQuery,
  type Kysely,
  type QueryExecutorProvider,
  type Selectable,
  sql,
  type TransactionBuilder,
} from 'kysely';
import type { entities } from '../entities/index.ts';
import { convertOutages } from './outages.ts';
import { applySettings, type RowScope, settingsOf, type TransactionSettings } from './row-scope.ts';
import type { ServerClock } from './server-clock.ts';

export { sql };

export type Tables = InferKyselyDB<(typeof entities)[number], { columnNamingStrategy: 'property' }>;

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

export interface Statement<Result> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Result>;
}

export interface StatementRunner {
  /** @throws AccessError `service_unavailable` if the database is down, too slow or too busy */
  run<Result>(statement: Statement<Result>): Promise<Result[]>;
}

export interface TransactionRunner extends StatementRunner {
  /**
   * Runs the work in one transaction. If the work rejects, nothing is written. If the server rejects prepared
   * statements, the work runs a second time. The work must not wait long for anything except the database.
   */
  transact<T>(work: (inside: StatementRunner) => Promise<T>): Promise<T>;
}

export interface Scopes<Runner extends StatementRunner = StatementRunner> {
  scoped(scope: RowScope, settings?: TransactionSettings): Runner;
}

export function columnsOf(
  { properties }: { readonly properties: Record<string, unknown> },
  table: string,
  ...excluded: readonly string[]
) {
  return sql.raw(
    Object.keys(properties)
      .filter((name) => !excluded.includes(name))
      .map((name) => `${table}.${snakeCase(name)} as "${name}"`)
      .join(', '),
  );
}

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export class Store implements TransactionRunner {
  readonly #em: EntityManager;
  readonly #connection: Kysely<Tables>;
  /** If set, every statement runs in a transaction with these PostgreSQL settings. */
  readonly #settings: TransactionSettings | null;
  /** Builds statements in which columns have the names of the properties. */
  readonly build: Kysely<Tables>;

  constructor(
    em: EntityManager,
    connection: Kysely<Tables> = em.getKysely<Tables>(),
    settings: TransactionSettings | null = null,
  ) {
    this.#em = em;
    this.#connection = connection;
    this.#settings = settings;
    this.build = connection.withPlugin(new CamelCasePlugin({ maintainNestedObjectKeys: true }));
  }

  run<Result>(statement: Statement<Result>): Promise<Result[]> {
    if (this.#settings !== null) return this.transact((inside) => inside.run(statement));
    return convertOutages(async () => {
      const { rows } = await this.build.executeQuery(statement.compile(this.build));
      return rows;
    });
  }

  async first<Result>(statement: Statement<Result>): Promise<Result | null> {
    const [row] = await this.run(statement);
    return row ?? null;
  }

  async insert<Entity extends object>(
    entity: EntityName<Entity>,
    row: RequiredEntityData<Entity>,
  ): Promise<void> {
    await this.#write((em) => em.insert(entity, row));
  }

  /** @returns the number of changed rows */
  update<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    changes: EntityData<Entity>,
  ): Promise<number> {
    return this.#write((em) => em.nativeUpdate(entity, where, changes));
  }

  remove<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
  ): Promise<number> {
    return this.#write((em) => em.nativeDelete(entity, where));
  }

  #write<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    if (this.#settings !== null) return this.transact((inside) => inside.#write(work));
    return convertOutages(() => work(this.#em));
  }

  /**
   * Runs the work in the current transaction, or in a new READ COMMITTED transaction. Kysely opens the transaction,
   * because the entity manager loses a connection if BEGIN fails.
   */
  transact<T>(work: (inside: Store) => Promise<T>): Promise<T> {
    if (this.#connection.isTransaction) return work(this);
    return this.#within(this.#connection.transaction(), work);
  }

  /** Runs the work on one snapshot of the data. Writers aren't blocked, except in the embedded database. */
  snapshot<T>(work: (inside: Store) => Promise<T>): Promise<T> {
    const transaction = this.#connection.transaction();
    return this.#within(
      transaction.setIsolationLevel('repeatable read').setAccessMode('read only'),
      work,
    );
  }

  #within<T>(builder: TransactionBuilder<Tables>, work: (inside: Store) => Promise<T>): Promise<T> {
    return convertOutages(() =>
      builder.execute(async (transaction) => {
        if (this.#settings !== null) await applySettings(this.#settings).execute(transaction);
        const em = this.#em.fork();
        // The entity manager uses this context only to run statements, so a Kysely transaction also works.
        em.setTransactionContext(transaction as unknown as Transaction);
        return work(new Store(em, transaction));
      }),
    );
  }
}

/** Runs each statement in its own transaction, because a row scope is valid only until the transaction ends. */
export const scopesOf = (
  em: EntityManager,
  settings: TransactionSettings | null = null,
): Scopes<Store> => ({
  scoped: (scope, more) => new Store(em, undefined, { ...settings, ...more, ...settingsOf(scope) }),
});

/** Each kind of work has its own connections, so that one kind can't use up the connections of another kind. */
export interface Stores {
  /** Only these stores limit the rows that statements see. All other stores see all rows. Statements have a timeout. */
  readonly scopes: {
    readonly requests: Scopes<Store>;
    /** Uses prepared statements. */
    readonly batches: Scopes<TransactionRunner>;
  };
  /** Statements have a timeout. */
  readonly requests: Store;
  /** Uses prepared statements, with the same timeout as `requests`. */
  readonly batches: StatementRunner;
  /** Statements have no timeout. */
  readonly longWork: Store;
  readonly clock: ServerClock;
}
