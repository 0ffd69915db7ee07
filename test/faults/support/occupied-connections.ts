import { withClient } from '../../support/postgres-server.ts';
import type { PostgresCluster } from './cluster.ts';

const ofService = `from pg_stat_activity where application_name = 'portfolio-access'`;

/** Takes every connection that the server has, those of the service too. */
export async function occupyConnections(server: PostgresCluster) {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>();
  const holding: Promise<unknown>[] = [];
  /** False when the server has no more. */
  const hold = () =>
    new Promise<boolean>((resolve) => {
      const held = withClient(server.url, async () => {
        resolve(true);
        await freed;
      });
      holding.push(held.catch(() => resolve(false)));
    });
  await withClient(server.url, async (client) => {
    // The service takes some at the same time.
    for (let left = 1; left > 0; ) {
      await client.query(`select pg_terminate_backend(pid) ${ofService}`);
      while (await hold());
      const { rows } = await client.query(`select count(*)::int as left ${ofService}`);
      left = Number(rows[0]?.left);
    }
  });
  await hold();
  return {
    async free() {
      free();
      await Promise.all(holding);
    },
  };
}
