import { AccessError, Refusal } from '#core';
import { StorageError } from './storage-error.ts';

/**
 * These say that the database is down, too slow or too busy, and that the same call may succeed later: SQLSTATE codes
 * and classes, codes of the operating system, and messages of the driver, which gives its own errors no code.
 */
const sqlStates = /^(08...|53...|57P0[1-5]|57014|25006|25P0[34]|40P01|55P03)$/;
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
const driverMessages =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout exceeded when trying to connect|Cannot use a pool after calling end|the database has been silent|no standby has confirmed the commit)/;

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code))) return true;
  if (driverMessages.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true;
  return isOutage(error.cause);
}

/** Does the work, and rejects as the ports promise it: `service_unavailable` for an outage, any other error as it is. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // These already say what is wrong.
    const isTold = error instanceof Refusal || error instanceof StorageError;
    if (isTold || !isOutage(error)) throw error;
    throw new AccessError('service_unavailable', { cause: error });
  }
}
