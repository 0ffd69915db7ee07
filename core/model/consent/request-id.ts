const requestIdPattern = /^req_([0-9a-f]{12})[0-9a-f]{20}$/;

const clockToleranceMilliseconds = 60_000;
const longestRequestMilliseconds = 15 * 60_000;

/**
 * Returns the time range in which the access records of a call were written. A request ID is a UUID of version 7, which
 * begins with a time. Returns null for other IDs.
 */
export function requestSpanOf(requestId: string): { since: Date; until: Date } | null {
  const time = requestIdPattern.exec(requestId)?.[1];
  if (time === undefined) return null;
  const began = Number.parseInt(time, 16);
  return {
    since: new Date(began - clockToleranceMilliseconds),
    until: new Date(began + longestRequestMilliseconds),
  };
}
