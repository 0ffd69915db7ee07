import { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Connections } from '../../../db/connections/pool.ts';
import { genericPlans, preparedStatements } from '../../../db/connections/prepared-statements.ts';
import type { RowScope } from '../../../db/connections/row-scope.ts';
import { type Scopes, type StatementRunner, sql } from '../../../db/connections/store.ts';
import { type CreateDatabase, createMigratedPostgresDatabase } from '../../support/databases.ts';
import { createRoles, type Roles } from '../../support/roles.ts';
import { connectTo } from '../connect.ts';
import { fillForNeighbours, type Neighbours } from './neighbours.ts';

export type Runner = StatementRunner & Scopes;

/** The template database. Each process fills it once, and each test file copies it. */
let filled: ReturnType<typeof fill> | undefined;

async function fill() {
  const database = await createMigratedPostgresDatabase();
  return { database, neighbours: await fillForNeighbours(database.url) };
}

/** Two companies and two investors, and the roles that the policies apply to. */
export function useWorld(createDatabase: CreateDatabase) {
  let made: { url: string; roles: Roles; neighbours: Neighbours } | undefined;
  let owner: Client | undefined;
  const opened: Connections[] = [];
  const world = () => {
    if (made === undefined) throw new Error('the database is not there yet');
    return made;
  };

  beforeAll(async () => {
    filled ??= fill();
    const { database, neighbours } = await filled;
    const { url } = await createDatabase(database);
    made = { url, roles: await createRoles(url), neighbours };
    owner = new Client({ connectionString: url });
    await owner.connect();
  });
  afterAll(async () => {
    await owner?.end();
    for (const connections of opened) await connections.close();
    await made?.roles.drop();
  });

  /** Opens one connection with the role in the URL, optionally with the settings for batches. */
  function open(as: string, isForBatches = false): Connections {
    const connections = connectTo(
      as,
      isForBatches ? { isPipelined: true, server: genericPlans } : {},
    );
    opened.push(connections);
    return connections;
  }

  const ways = {
    'a transaction': (as: string): Runner => {
      const { store, scopes } = open(as);
      return { run: (statement) => store.run(statement), scoped: scopes.scoped };
    },
    'a batch': (as: string): Runner => {
      const { pool, orm } = open(as, true);
      return preparedStatements(pool, orm.em.getKysely());
    },
  };

  return {
    world,
    open,
    run: (runner: Runner, scope: RowScope | null, text: string) =>
      (scope === null ? runner : runner.scoped(scope)).run(sql.raw<Record<string, unknown>>(text)),
    ways: Object.entries(ways),
    async asOwner(text: string, values: unknown[] = []) {
      if (owner === undefined) throw new Error('the database is not there yet');
      return (await owner.query<Record<string, unknown>>(text, values)).rows;
    },
  };
}
