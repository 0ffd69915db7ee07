import { openConnections, type PoolSettings } from '../../db/connections/pool.ts';

/** Opens one connection by default, without a time limit for statements. */
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
