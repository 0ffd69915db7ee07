import { divideConnections } from './divide-connections.ts';
import { type Connections, openConnections, type PoolSettings, type Target } from './pool.ts';
import { longWorkSettings } from './pooler.ts';
import { genericPlans, plannerSettings, preparedStatements } from './prepared-statements.ts';
import { allRowsSettings } from './row-scope.ts';
import { ServerClock } from './server-clock.ts';
import type { DatabaseConfig, Limits, PoolName } from './settings.ts';
import type { Stores } from './store.ts';

interface PoolsConfig extends DatabaseConfig {
  readonly limits: Limits;
  readonly onError: (error: unknown) => void;
}

/** PGlite has only one role and one session, so the pools `scoped` and `batches` exist only with PostgreSQL. */
export function openPools(embedded: Target | null, config: PoolsConfig) {
  const { limits, onError, observer, isPooled = false } = config;
  const databaseUrl = config.databaseUrl ?? '';
  const backgroundUrl = config.backgroundUrl ?? (databaseUrl && backgroundUrlOf(databaseUrl));
  const connections = divideConnections(limits.connections);
  const isOneRole = backgroundUrl === databaseUrl;
  // The background role sees all rows without `portfolio_access.everyone`, so it needs no transactions.
  const sharedSettings = isOneRole ? allRowsSettings : null;
  const open = (name: PoolName, { server, inTransactions, ...settings }: Partial<PoolSettings>) => {
    const isScoped = name === 'scoped';
    return openConnections(embedded ?? { url: isScoped ? databaseUrl : backgroundUrl }, {
      ...limits,
      connections: connections[name],
      onError,
      server: { ...plannerSettings, ...server, ...(!isScoped && allRowsSettings) },
      ...(!isScoped &&
        (sharedSettings || inTransactions) && {
          inTransactions: { ...sharedSettings, ...inTransactions },
        }),
      isPooled,
      onWaited: observer && ((milliseconds) => observer.onWaited(name, milliseconds)),
      ...settings,
    });
  };
  const prepared = ({ pool, orm }: Connections) =>
    preparedStatements(pool, orm.em.getKysely(), config.onUnprepared);
  const batchSettings = { server: genericPlans, isPipelined: true };

  const requests = open('requests', {});
  const background = open('background', {});
  const longWork = open('long_work', {
    statementMilliseconds: null,
    server: longWorkSettings,
    inTransactions: longWorkSettings,
  });
  // PGlite has a single session, in which the names of prepared statements would collide.
  const batches = embedded ? null : open('batches', batchSettings);
  const scoped = embedded ? null : open('scoped', batchSettings);
  const batchRunner = batches && prepared(batches);
  const stores: Stores = {
    scopes: {
      requests: (scoped ?? requests).scopes,
      batches: scoped === null ? requests.scopes : prepared(scoped),
    },
    requests: requests.store,
    batches:
      (isPooled && isOneRole ? batchRunner?.withSettings(allRowsSettings) : batchRunner) ??
      requests.store,
    longWork: longWork.store,
    clock: new ServerClock(),
  };
  /** The stores for work that no caller waits for. */
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
 * Returns the default URL of the background role. The role name ends in `_background` instead of `_service`, and the
 * password is the same. If the name doesn't end in `_service`, the same role does both kinds of work. A shared pooler
 * may require a suffix, for example `portfolio_access_service.tenant`.
 */
export function backgroundUrlOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = url.username.replace(/_service(?=\.|$)/, '_background');
  return url.username === new URL(databaseUrl).username ? databaseUrl : url.href;
}
