import { afterAll, beforeAll, describe, test } from 'vitest';
import { killLeftovers } from '../support/processes.ts';
import { openWorld, surviveFault, type World } from './support/outage.ts';
import { canMakeClusters, ReplicatedServers } from './support/replicated.ts';

afterAll(killLeftovers);

const waiting = `select pid from pg_stat_activity
  where wait_event = 'SyncRep' and application_name = 'portfolio-access'`;

describe.skipIf(!canMakeClusters)('a hanging standby whose confirmation each commit needs', () => {
  let servers: ReplicatedServers;
  let world: World;

  beforeAll(async () => {
    servers = await ReplicatedServers.start(1, 'any standby');
    world = await openWorld({ databaseUrl: servers.primary.url });
  });
  afterAll(async () => {
    await world?.service.stop('SIGKILL');
    await servers?.dispose();
  });

  const hang = () => servers.standbys[0]?.freeze();
  const goOn = () => servers.standbys[0]?.thaw();

  test('makes the service refuse all reads of data and lists within the time limit', async () => {
    await surviveFault('the standby hangs', world, {
      begin: hang,
      felt: 20,
      isTotal: true,
      end: goOn,
    });
  });

  // Afterwards the server reports the commit as successful, but with a warning.
  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'makes the service refuse a read if %s ends the commit’s wait for the standby',
    async (by) => {
      let isEnding = true;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      await surviveFault(`waits ended by ${by}`, world, {
        begin() {
          hang();
          void (async () => {
            while (isEnding)
              await servers.primary.query(`select ${by}(pid) from (${waiting}) as w`);
            resolve();
          })();
        },
        felt: 100,
        isTotal: true,
        async end() {
          isEnding = false;
          await ended;
          goOn();
        },
      });
    },
  );
});
