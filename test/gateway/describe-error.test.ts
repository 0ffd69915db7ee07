import { expect, it } from 'vitest';
import { z } from 'zod';
import { AccessError, parseInput, Refusal } from '#core';
import { describeError } from '../../gateway/describe-error.ts';

const failure = (message: string, rest: object = {}) => Object.assign(new Error(message), rest);

it.each([
  [
    'no password given',
    failure('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
  ],
  ['a wrong password', failure('password authentication failed', { code: '28P01' })],
  ['an unknown certificate', failure('self-signed', { code: 'SELF_SIGNED_CERT_IN_CHAIN' })],
])('a failed sign-in to the database is described in one line: %s', (_name, error) => {
  const { message, exitCode } = describeError(failure('wrapped', { cause: error }));
  expect(message).toBe(
    `cannot reach the database (${error.message}); check DATABASE_URL, or DATA_DIR for the embedded one`,
  );
  expect(exitCode).toBe(1);
});

it.each([
  ['The server does not support SSL connections', 'use sslmode=disable'],
  ['Tenant or user not found', 'the suffix that the pooler expects'],
])('a failed sign-in to the database is described with advice: %s', (words, advice) => {
  const { message } = describeError(failure('wrapped', { cause: failure(words) }));
  expect(message).toContain(`cannot reach the database (${words}); `);
  expect(message).toContain(advice);
});

it.each([
  ['a role without the needed right', '42501'],
  ['a read-only server', '25006'],
  ['a deadlock', '40P01'],
  ['an unavailable lock', '55P03'],
  ['a full disk', '53100'],
])('an error of the database is described in one line: %s', (_name, code) => {
  const error = failure('no', { code });
  expect(describeError(failure('wrapped', { cause: error })).message).toBe(
    'the database refused the statement: no',
  );
});

it.each([
  ['listen', 'HOST, PORT and METRICS_PORT'],
  ['getaddrinfo', 'HOST, PORT and METRICS_PORT'],
  ['mkdir', 'DATA_DIR'],
])(
  'the description of a system error lists the settings that may have caused it: %s',
  (syscall, settings) => {
    expect(describeError(failure('no', { syscall })).message).toMatch(
      new RegExp(`^cannot .*[(]no[)]; check ${settings}`),
    );
  },
);

it.each([
  [z.number().min(1).max(5), 9, 'at least 1, at most 5'],
  [z.string().min(2).max(3), 'a', 'at least 2 characters, at most 3 characters'],
  [z.array(z.number()).min(3).max(4), [], 'at least 3 items, at most 4 items'],
  [z.enum(['one', 'two']), 'three', 'one, two'],
])(
  'an invalid parameter is described with its allowed values (case %#)',
  (schema, size, allowed) => {
    let refusal: unknown;
    try {
      parseInput(z.object({ size: schema }), { size });
    } catch (error) {
      refusal = error;
    }
    expect(describeError(refusal)).toEqual({
      message: `the parameter size has a value that isn't allowed. Allowed: ${allowed}.`,
      exitCode: 1,
    });
  },
);

it('a refusal is described by its own message, with control characters escaped', () => {
  const message = 'unknown key \u001b[2J';
  for (const Class of [AccessError, Refusal]) {
    expect(describeError(new Class('company_key_not_found', { message }))).toEqual({
      message: 'unknown key \\u{1b}[2J',
      exitCode: 1,
    });
  }
});

it('an unexpected error is described with its stack', () => {
  expect(describeError(failure('a surprise')).message).toMatch(
    /^unexpected: Error: a surprise\n\s+at /,
  );
});
