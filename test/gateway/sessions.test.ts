import { expect, test } from 'vitest';
import { readConfig } from '../../gateway/config.ts';
import { describeError } from '../../gateway/describe-error.ts';
import { describeSessions } from '../../gateway/sessions.ts';

const missing = ['statement_timeout', 'jit'];

test('the check of database sessions reports nothing if the sessions have every setting', () => {
  for (const databasePooler of ['transaction', null] as const) {
    expect(describeSessions([], { databasePooler })).toBeNull();
  }
});

test('the check of database sessions lists the missing settings in one line, with advice', () => {
  const configured = describeSessions(missing, { databasePooler: 'transaction' });
  expect(configured?.message).toMatch(/^sessions behind the pooler lack .*statement_timeout, jit$/);
  expect(configured?.advice).toMatch(/^run what portfolio-access roles --pooler prints/);
  const direct = describeSessions(missing, { databasePooler: null });
  expect(direct?.message).toMatch(/^sessions of the database lack/);
  expect(direct?.advice).toMatch(
    /^if DATABASE_URL names a pooler, set DATABASE_POOLER=transaction; run what/,
  );
});

test('a pooler that accepts no startup parameters causes an error with advice to set DATABASE_POOLER', () => {
  const error = Object.assign(new Error('unsupported startup parameter: statement_timeout'), {
    code: '08P01',
    syscall: undefined,
  });
  const { message } = describeError(
    Object.assign(new Error('Connection terminated', { cause: error }), { code: '28000' }),
  );
  expect(message).toContain('set DATABASE_POOLER=transaction');
});

test('DATABASE_POOLER is refused if DATABASE_URL isn’t set', () => {
  expect(() => readConfig({ DATABASE_POOLER: 'transaction' })).toThrow(
    'DATABASE_URL must be set when DATABASE_POOLER is',
  );
});

test('a DATABASE_URL with options is refused for a pooler, which would reject or drop the options', () => {
  const DATABASE_URL = 'postgres://pooler.internal/access?options=-c%20search_path%3Daccess';
  expect(() => readConfig({ DATABASE_POOLER: 'transaction', DATABASE_URL })).toThrow(
    'DATABASE_URL must have no options',
  );
  expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
});
