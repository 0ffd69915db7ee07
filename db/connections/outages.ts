import { AccessError, Refusal } from '#core';
import { StorageError } from './storage-error.ts';

/**
 * Recognizes errors of a database that is down, too slow or too busy. After such an error, a later attempt may succeed.
 * Some driver errors have no code, so this file compares their messages.
 */
const lossStates = /^(08...|57P0[1-5])$/;
const refusalStates = /^(53...|57014|25006|25P0[34]|40P01|55P03)$/;
const systemCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
const lossMessages =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout exceeded when trying to connect|Cannot use a pool after calling end|the database has been silent)/;
const refusalMessages = /^no standby has confirmed the commit/;

const isLoss = ({ code, message }: CodedError) =>
  lossMessages.test(message) ||
  (typeof code === 'string' && (lossStates.test(code) || systemCodes.has(code)));

const isRefusal = ({ code, message }: CodedError) =>
  refusalMessages.test(message) || (typeof code === 'string' && refusalStates.test(code));

interface CodedError extends Error {
  readonly code?: unknown;
}

/** Returns the error itself if it matches, otherwise its first cause that matches. Returns null if none matches. */
function findCause(error: unknown, matches: (error: CodedError) => boolean): CodedError | null {
  if (!(error instanceof Error)) return null;
  if (matches(error)) return error;
  const causes = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return causes.map((cause) => findCause(cause, matches)).find((found) => found !== null) ?? null;
}

export const isConnectionLoss = (error: unknown): boolean => findCause(error, isLoss) !== null;

/** Returns the reason if a lost connection caused a `service_unavailable` error. Otherwise, returns null. */
export function findOutageReason(error: unknown): string | null {
  if (!(error instanceof AccessError) || error.code !== 'service_unavailable') return null;
  const found = findCause(error.cause, isLoss);
  return found && (found.message || String(found.code));
}

/** @throws AccessError `service_unavailable` if the work fails because of an outage */
export async function convertOutages<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Doesn't convert a Refusal or a StorageError, because callers handle these two errors themselves.
    const isMeaningful = error instanceof Refusal || error instanceof StorageError;
    const isOutage = findCause(error, (each) => isLoss(each) || isRefusal(each)) !== null;
    if (isMeaningful || !isOutage) throw error;
    throw new AccessError('service_unavailable', { cause: error });
  }
}

/** The SQLSTATE or system code of an error. */
export const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
