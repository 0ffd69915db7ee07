import { AccessError, Refusal } from '#core';
import { StorageError } from './storage-error.ts';

/**
 * These codes mean that the database is down, too slow or too busy, and that the call may succeed later: SQLSTATE codes
 * and
 * classes, operating system codes, and messages of the driver, whose own errors have no code.
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

/** Returns the first of the error and its causes to which the rule applies. */
function findCause(error: unknown, applies: (error: CodedError) => boolean): CodedError | null {
  if (!(error instanceof Error)) return null;
  if (applies(error)) return error;
  const causes = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return causes.map((cause) => findCause(cause, applies)).find((found) => found !== null) ?? null;
}

const isOutage = (error: unknown): boolean =>
  findCause(error, (each) => isLoss(each) || isRefusal(each)) !== null;

export const isConnectionLoss = (error: unknown): boolean => findCause(error, isLoss) !== null;

/** Returns the reason of an outage that a port has reported. Returns null for any other error. */
export function findOutageReason(error: unknown): string | null {
  if (!(error instanceof AccessError) || error.code !== 'service_unavailable') return null;
  const found = findCause(error.cause, isLoss);
  return found && (found.message || String(found.code));
}

/** Runs the work, and converts an outage to `service_unavailable`. Other errors stay unchanged. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // These errors are already meaningful.
    const isMeaningful = error instanceof Refusal || error instanceof StorageError;
    if (isMeaningful || !isOutage(error)) throw error;
    throw new AccessError('service_unavailable', { cause: error });
  }
}
