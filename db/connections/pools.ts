import { divideConnections } from './divide-connections.ts';
import { type Connections, openConnections, type PoolSettings, type Target } from './pool.ts';
import { longWorkSettings } from './pooler.ts';
import { genericPlans, plannerSettings, preparedStatements } from './prepared-statements.ts';
import { everyone } from './row-scope.ts';
import { ServerClock } from './server-clock.ts';
import type { DatabaseConfig, Limits, PoolName } from './settings.ts';
import type { Stores } from './store.ts';

interface PoolsConfig extends DatabaseConfig {
  readonly limits: Limits;
  readonly onError: (error: unknown) => void;
}

/** The connections of a process, by what they are for and as which role they come. */
export interface Pools {
  readonly requests: Connections;
  readonly background: Connections;
  readonly longWork: Connections;
  /** Null in the embedded database, whose only role is above every policy. */
  readonly scoped: Connections | null;
  readonly batches: Connections | null;
  readonly all: readonly Connections[];
  readonly stores: Stores;
  /** The same over connections of their own, for what no caller waits for. */
  readonly backgroundStores: Stores;
  /** Whether those in scopes come as the role of all others. */
  readonly isOneRole: boolean;
}

/** @param embedded where the embedded database listens, null when it is PostgreSQL */
export function openPools(embedded: Target | null, config: PoolsConfig): Pools {
  const { limits, onError, observer, isPooled = false } = config;
  const databaseUrl = config.databaseUrl ?? '';
  const backgroundUrl = config.backgroundUrl ?? (databaseUrl && backgroundUrlOf(databaseUrl));
  const connections = divideConnections(limits.connections);
  const isOneRole = backgroundUrl === databaseUrl;
  // A role that roles.sql has made needs no setting, and so no transaction for each statement.
  const inEach = isOneRole ? everyone : null;
  const open = (name: PoolName, { server, inTransactions, ...settings }: Partial<PoolSettings>) => {
    const isScoped = name === 'scoped';
    return openConnections(embedded ?? { url: isScoped ? databaseUrl : backgroundUrl }, {
      ...limits,
      connections: connections[name],
      onError,
      server: { ...plannerSettings, ...server, ...(!isScoped && everyone) },
      ...(!isScoped &&
        (inEach || inTransactions) && { inTransactions: { ...inEach, ...inTransactions } }),
      isPooled,
      onWaited: observer && ((milliseconds) => observer.waited(name, milliseconds)),
      ...settings,
    });
  };
  const prepared = ({ pool, orm }: Connections) =>
    preparedStatements(pool, orm.em.getKysely(), config.onUnprepared);
  const forBatches = { server: genericPlans, isPipelined: true };

  const requests = open('requests', {});
  const background = open('background', {});
  const longWork = open('long_work', {
    statementMilliseconds: null,
    server: longWorkSettings,
    inTransactions: longWorkSettings,
  });
  // PGlite has one session for all connections, in which a name stands for the statement of whoever came last.
  const batches = embedded ? null : open('batches', forBatches);
  const scoped = embedded ? null : open('scoped', forBatches);
  const batchRunner = batches && prepared(batches);
  const stores: Stores = {
    scopes: {
      requests: (scoped ?? requests).scopes,
      batches: scoped === null ? requests.scopes : prepared(scoped),
    },
    requests: requests.store,
    batches:
      (isPooled && isOneRole ? batchRunner?.within(everyone) : batchRunner) ?? requests.store,
    longWork: longWork.store,
    clock: new ServerClock(),
  };
  const backgroundStores: Stores = {
    ...stores,
    requests: background.store,
    batches: background.store,
  };
  const all = [scoped, requests, background, batches, longWork].filter((pool) => pool !== null);
  return {
    requests,
    background,
    longWork,
    scoped,
    batches,
    all,
    stores,
    backgroundStores,
    isOneRole,
  };
}

/**
 * The URL of the role that works for everybody, where none is configured: beside a role whose name ends in `_service` it
 * is the one that ends in `_background`, as roles.sql makes both, with the same password. Any other role does both. A
 * shared pooler knows a role by a suffix too, for example `portfolio_access_service.tenant`.
 */
export function backgroundUrlOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = url.username.replace(/_service(?=\.|$)/, '_background');
  return url.username === new URL(databaseUrl).username ? databaseUrl : url.href;
}
