import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { withClient } from '../support/postgres-server.ts';
import { killLeftovers } from '../support/processes.ts';
import type { PostgresCluster } from './support/cluster.ts';
import { occupyConnections } from './support/occupied-connections.ts';
import { openWorld, surviveFault, type World } from './support/outage.ts';
import { canMakeClusters, startSingle } from './support/replicated.ts';
import { until } from './support/until.ts';

afterAll(killLeftovers);

const lockMilliseconds = 30_000;

describe.skipIf(!canMakeClusters)('PostgreSQL', () => {
  let single: Awaited<ReturnType<typeof startSingle>>;
  let server: PostgresCluster;
  let world: World;

  beforeAll(async () => {
    single = await startSingle();
    server = single.server;
    world = await openWorld({ databaseUrl: server.url });
  });
  afterAll(async () => {
    await world?.service.stop('SIGKILL');
    await single?.dispose();
  });

  test.each([
    ['stopped and started', () => server.stop('fast')],
    ['stopped at once and started', () => server.stop('immediate')],
    ['killed and started', () => server.kill()],
  ])('is %s, and the service recovers', async (name, begin) => {
    await surviveFault(name, world, { begin, isTotal: true, end: () => server.start() });
  });

  test('restarts after one of its processes was killed, and the service recovers', async () => {
    await surviveFault('one process killed', world, {
      begin: () => server.killBackend(),
      felt: 1,
      end: () => until(() => server.query('select 1').then(() => true)),
    });
  });

  test('hangs, and the service recovers', async () => {
    await surviveFault('hangs', world, {
      begin: () => server.freeze(),
      felt: 20,
      isTotal: true,
      end: () => server.thaw(),
    });
  });

  test('has no free connection, and the service recovers', async () => {
    let occupied: { free(): Promise<void> } | undefined;
    await surviveFault('no connection left', world, {
      async begin() {
        occupied = await occupyConnections(server);
      },
      isTotal: true,
      end: () => occupied?.free(),
    });
  });

  test.each(['access_request', 'access_record'])(
    'locks the whole table %s for 30 seconds, and the service recovers',
    async (table) => {
      const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
      let holding: Promise<unknown> | undefined;
      await surviveFault(`${table} locked`, world, {
        begin() {
          holding = withClient(server.url, async (client) => {
            await client.query('begin');
            await client.query(`lock table ${table} in access exclusive mode`);
            locked();
            await wait(lockMilliseconds);
            await client.query('rollback');
          });
          return isLocked;
        },
        felt: 20,
        end: () => holding,
      });
    },
  );
});
