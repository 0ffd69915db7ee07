import { openConnections, type PoolSettings } from '../../db/connections/pool.ts';

/** One connection, unless told otherwise, whose statements may take as long as they need. */
export const connectTo = (url: string, settings: Partial<PoolSettings> = {}) =>
  openConnections(
    { url },
    {
      connections: 1,
      acquireMilliseconds: 5_000,
      statementMilliseconds: null,
      onError() {},
      ...settings,
    },
  );
