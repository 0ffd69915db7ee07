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
import { translated } from './outages.ts';
import { applying, type RowScope, settingsOf, type TransactionSettings } from './row-scope.ts';
import type { ServerClock } from './server-clock.ts';

export { sql };

/** The tables as the entities describe them: a column has the name of its property. */
export type Tables = InferKyselyDB<(typeof entities)[number], { columnNamingStrategy: 'property' }>;

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** What Kysely's query builder, or `sql`, has made and not run yet. */
export interface Statement<Result> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Result>;
}

export interface StatementRunner {
  /** @throws AccessError `service_unavailable` when the database is down, too slow or too busy */
  run<Result>(statement: Statement<Result>): Promise<Result[]>;
}

export interface TransactionRunner extends StatementRunner {
  /**
   * Runs the work in one transaction: all that it does stays, or, when it rejects, nothing. It may be run once more, when
   * the server refuses how its statements were sent, and must await nothing else for long.
   */
  transact<T>(work: (inside: StatementRunner) => Promise<T>): Promise<T>;
}

/** Connections of a role that sees nothing outside of a scope, so there is no way to them but by one. */
export interface Scopes<Runner extends StatementRunner = StatementRunner> {
  /**
   * For statements that see and write the rows of the scope only.
   *
   * @param settings of each transaction
   */
  scoped(scope: RowScope, settings?: TransactionSettings): Runner;
}

/** The columns of an entity's table in `sql`, each named as its property, but for those that are left out. */
export function columnsOf(
  { properties }: { readonly properties: Record<string, unknown> },
  table: string,
  ...without: readonly string[]
) {
  return sql.raw(
    Object.keys(properties)
      .filter((name) => !without.includes(name))
      .map((name) => `${table}.${snakeCase(name)} as "${name}"`)
      .join(', '),
  );
}

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A database, or one transaction in it. */
export class Store implements TransactionRunner {
  readonly #em: EntityManager;
  readonly #connection: Kysely<Tables>;
  /** Settings of each transaction; then every statement has one. */
  readonly #settings: TransactionSettings | null;
  /** Builds statements, under the names of the properties. */
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
    return translated(async () => {
      const { rows } = await this.build.executeQuery(statement.compile(this.build));
      return rows;
    });
  }

  /** The first row, or null. */
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

  /** @returns how many rows were changed */
  update<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    changes: EntityData<Entity>,
  ): Promise<number> {
    return this.#write((em) => em.nativeUpdate(entity, where, changes));
  }

  /** @returns how many rows were removed */
  remove<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
  ): Promise<number> {
    return this.#write((em) => em.nativeDelete(entity, where));
  }

  #write<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    if (this.#settings !== null) return this.transact((inside) => inside.#write(work));
    return translated(() => work(this.#em));
  }

  /**
   * Runs the work in one transaction (READ COMMITTED) on one connection. Kysely opens it, because the entity manager
   * loses the connection for good when the BEGIN itself fails. Inside a transaction the work becomes a part of it.
   */
  transact<T>(work: (inside: Store) => Promise<T>): Promise<T> {
    if (this.#connection.isTransaction) return work(this);
    return this.#within(this.#connection.transaction(), work);
  }

  /** Reads all as of one instant. Whoever writes meanwhile is not held up, but with the embedded database. */
  snapshot<T>(work: (inside: Store) => Promise<T>): Promise<T> {
    const transaction = this.#connection.transaction();
    return this.#within(
      transaction.setIsolationLevel('repeatable read').setAccessMode('read only'),
      work,
    );
  }

  #within<T>(builder: TransactionBuilder<Tables>, work: (inside: Store) => Promise<T>): Promise<T> {
    return translated(() =>
      builder.execute(async (transaction) => {
        if (this.#settings !== null) await applying(this.#settings).execute(transaction);
        const em = this.#em.fork();
        // Kysely's transaction serves as the context, because the entity manager only runs statements through it.
        em.setTransactionContext(transaction as unknown as Transaction);
        return work(new Store(em, transaction));
      }),
    );
  }
}

/** Each statement has a transaction, because a scope ends with its transaction. */
export const scopesOf = (
  em: EntityManager,
  settings: TransactionSettings | null = null,
): Scopes<Store> => ({
  scoped: (scope, more) => new Store(em, undefined, { ...settings, ...more, ...settingsOf(scope) }),
});

/** The ways into one database, each with connections of its own, so that none can use up those of another; and its clock. */
export interface Stores {
  /** For what belongs to one owner, or to those of a batch; with a time limit. All others see the rows of everybody. */
  readonly scopes: {
    readonly requests: Scopes<Store>;
    /** The same for statements that are prepared. */
    readonly batches: Scopes<TransactionRunner>;
  };
  /** For statements of one request; each has a time limit. */
  readonly requests: Store;
  /** For statements that answer a batch of questions of many requests; prepared, with the same time limit. */
  readonly batches: StatementRunner;
  /** For imports, migrations and lists for operators, which may take as long as they need. */
  readonly longWork: Store;
  readonly clock: ServerClock;
}
