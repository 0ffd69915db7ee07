import { AccessError } from '#core';

/**
 * What says that the database is down, too slow or too busy, and that the same call may succeed later: SQLSTATE
 * classes and codes, the system's own codes, and messages of the driver, which gives no code to its own errors.
 */
const sqlStates = /^(08...|53...|57P0[1-5]|57014|25006|25P0[34]|55P03)$/;
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

/** The error as the ports promise it: `service_unavailable` for an outage, anything else as it is. */
function translate(error: unknown): unknown {
  if (error instanceof AccessError || !isOutage(error)) return error;
  return new AccessError('service_unavailable', { cause: error });
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code))) return true;
  if (driverMessages.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true;
  return isOutage(error.cause);
}

export async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translate(error);
  }
}

/** The same port, with every rejection translated. */
export function translating<Port extends object>(port: Port): Port {
  const members = Object.entries(port).map(([name, member]) => [
    name,
    typeof member === 'function'
      ? (...given: unknown[]) => translated(Promise.try(() => member.apply(port, given) as unknown))
      : member,
  ]);
  return Object.fromEntries(members) as Port;
}
