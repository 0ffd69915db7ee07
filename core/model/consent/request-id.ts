const requestIdPattern = /^req_([0-9a-f]{12})[0-9a-f]{20}$/;

/** Longer than any request takes, and than the clocks of two machines differ. */
const spareMilliseconds = 60_000;
const longestMilliseconds = 15 * 60_000;

/**
 * When a request with this id can have left its access records: ids are UUIDs of version 7, which begin with their time.
 * Null for an id of another form.
 */
export function requestSpanOf(requestId: string): { since: Date; until: Date } | null {
  const time = requestIdPattern.exec(requestId)?.[1];
  if (time === undefined) return null;
  const began = Number.parseInt(time, 16);
  return {
    since: new Date(began - spareMilliseconds),
    until: new Date(began + longestMilliseconds),
  };
}
