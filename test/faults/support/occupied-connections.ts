import { withClient } from '../../support/postgres-server.ts';
import type { PostgresCluster } from './cluster.ts';

export async function occupyConnections(server: PostgresCluster) {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>();
  const holding: Promise<unknown>[] = [];
  /** Resolves to false if the server allows no further connection. */
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
    // The service opens connections at the same time, and a connection isn't listed until it is open.
    for (let taken = 1; taken < Number(rows[0]?.most); ) {
      await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'portfolio-access'`);
      while (await hold()) taken += 1;
    }
    full();
    // The service would take this connection otherwise.
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
