import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { expect, test } from 'vitest';
import { compiledOnce } from '../../db/connections/compiled-once.ts';

const provider = new Kysely<object>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

test('a statement is built only once, and each use gets its parameters from its own input', () => {
  let built = 0;
  const statement = compiledOnce<readonly string[], unknown>((parameter) => {
    built += 1;
    return sql`select ${parameter((names) => names.length)}, ${'fixed'}, ${parameter((names) => names)}`;
  });
  const uses = [statement(['a']), statement(['b', 'c'])].map((use) => use.compile(provider));
  expect(uses.map(({ parameters }) => parameters)).toEqual([
    [1, 'fixed', ['a']],
    [2, 'fixed', ['b', 'c']],
  ]);
  expect(uses.map((use) => use.sql)).toEqual(['select $1, $2, $3', 'select $1, $2, $3']);
  expect(built).toBe(1);
});
