import { withClient } from '../../support/postgres-server.ts';
import type { PostgresCluster } from './cluster.ts';

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
  const { promise: isFull, resolve: full } = Promise.withResolvers<void>();
  const emptying = withClient(server.url, async (client) => {
    const { rows } = await client.query(`select current_setting('max_connections')::int as most`);
    // The service takes some at the same time; one that is about to be opened is in no list yet.
    for (let taken = 1; taken < Number(rows[0]?.most); ) {
      await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'portfolio-access'`);
      while (await hold()) taken += 1;
    }
    full();
    // This one is kept, too: the service would be quicker to take it than anybody else.
    await freed;
  });
  await Promise.race([isFull, emptying]);
  return {
    async free() {
      free();
      await Promise.all([emptying, ...holding]);
    },
  };
}
