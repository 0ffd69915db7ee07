import { AccessError, type Bounds, Refusal } from '#core';
import { ConfigError } from './config.ts';
import { escapeControls } from './logs/escape-controls.ts';
import { notMigrated, SchemaError } from './schema.ts';

export const exitCodes = { success: 0, refused: 1, usage: 2, interrupted: 130 } as const;

/** PostgreSQL's error codes for a missing table, schema, column or type. */
const missingSchemaCodes = new Set(['42P01', '3F000', '42703', '42704']);

/** Error codes of a refused connection: wrong credentials, an unknown database, or no common TLS version. */
const noEntryCodes = /^(28...|3D000|ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

const noEntryMessages =
  /^(The server does not support SSL connections|SASL: |Tenant or user not found)/;

/** A refused statement: a missing right, a read-only server, a lock, a deadlock, no space, or a timeout. */
const refusingCodes = /^(42501|25006|40P01|55P03|57014|53...)$/;

/** Describes the error that stopped a command or prevented a start. Also returns the exit code. */
export function describeError(error: unknown): { message: string; exitCode: number } {
  if (error instanceof ConfigError) return { message: error.message, exitCode: exitCodes.usage };
  return { message: messageOf(error), exitCode: exitCodes.refused };
}

function messageOf(error: unknown): string {
  if (isShownUnchanged(error)) return escapeControls(error.message);
  const causes = [...causesOf(error)];
  if (causes.some((cause) => missingSchemaCodes.has(codeOf(cause)))) return notMigrated;
  const refusal = causes.find((cause) => refusingCodes.test(codeOf(cause)));
  if (refusal instanceof Error) {
    return escapeControls(`the database refused the statement: ${refusal.message}`);
  }
  const isOutage = error instanceof AccessError && error.code === 'service_unavailable';
  if (isOutage || causes.some(isNoEntry)) return describeOutage(causes.at(-1));
  if (error instanceof Refusal) return escapeControls(describeRefusal(error));
  if (isSystemError(error)) return describeSystemError(error);
  return `unexpected: ${error instanceof Error ? error.stack : String(error)}`;
}

function isNoEntry(cause: unknown): boolean {
  if (noEntryCodes.test(codeOf(cause))) return true;
  return cause instanceof Error && noEntryMessages.test(cause.message);
}

function describeOutage(rootCause: unknown): string {
  const detail =
    rootCause instanceof Error && !(rootCause instanceof AccessError)
      ? ` (${escapeControls(rootCause.message || codeOf(rootCause))})`
      : '';
  if (detail.includes('unsupported startup parameter')) {
    return `the database is behind a pooler${detail}; set DATABASE_POOLER=transaction`;
  }
  const advice =
    adviceFor.find(([message]) => message.test(detail))?.[1] ??
    'check DATABASE_URL, or DATA_DIR for the embedded one';
  return `cannot reach the database${detail}; ${advice}`;
}

const adviceFor: readonly (readonly [RegExp, string])[] = [
  [
    /self-signed certificate|unable to (get|verify)/,
    'name the file of the authority that issued its certificate: sslrootcert=FILE in DATABASE_URL, or NODE_EXTRA_CA_CERTS',
  ],
  [
    /does not match certificate's altnames/,
    'name the host of the certificate in DATABASE_URL, or use sslmode=verify-ca with the authority of your provider alone',
  ],
  [/does not support SSL/, 'the server has no TLS: use sslmode=disable in DATABASE_URL'],
  [
    /no encryption|SSL off/,
    'the server accepts TLS only: use sslmode=verify-full or sslmode=require in DATABASE_URL',
  ],
  [
    /Tenant or user not found/,
    'name the role in DATABASE_URL with the suffix that the pooler expects, for example portfolio_access_service.tenant',
  ],
];

/** Compares names, because importing the classes would load the database library for every --help. */
function isShownUnchanged(error: unknown): error is Error {
  return error instanceof SchemaError || (error instanceof Error && shownUnchanged.has(error.name));
}

const shownUnchanged = new Set(['DataDirError', 'SigningKeyError', 'StorageError']);

/** Adds the allowed values, which HTTP callers get in a separate field. A format is already in the message. */
function describeRefusal({ message: sentence, details: { allowed } }: Refusal): string {
  // The message follows “error:”, so it starts with a small letter unless it starts with a name.
  const message = sentence.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
  if (allowed === undefined) return message;
  const words = Array.isArray(allowed)
    ? allowed
    : Object.entries(allowed)
        .filter(([bound]) => bound !== 'format')
        .map(([bound, value]) => wordsOf[bound as keyof typeof wordsOf](`${value}`));
  if (words.length === 0) return message;
  return `${message} Allowed: ${words.join(', ')}.`;
}

const wordsOf: Record<Exclude<keyof Bounds, 'format'>, (value: string) => string> = {
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
};

/** True for errors of the operating system, such as a full disk. Their messages already describe the problem. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Adds the name of the setting that caused the error, because the operating system's message doesn't contain it. */
function describeSystemError(error: NodeJS.ErrnoException): string {
  const message = escapeControls(error.message);
  switch (error.syscall) {
    case 'listen':
    case 'bind':
    case 'getaddrinfo':
      return `cannot listen (${message}); check HOST, PORT and METRICS_PORT`;
    case 'mkdir':
      return `cannot create the data folder (${message}); check DATA_DIR`;
    default:
      return message;
  }
}

/** Yields the error and then its causes. The root cause comes last. */
function* causesOf(error: unknown): Generator<unknown> {
  for (let cause = error, depth = 0; cause != null && depth < 10; depth += 1) {
    yield cause;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
