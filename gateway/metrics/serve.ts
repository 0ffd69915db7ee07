import { Registry } from '@prometheus-io/client';
import { fastify } from 'fastify';
import type { Config } from '../config.ts';

/** Serves `/metrics` on a separate port, which can stay internal. Resolves to a function that stops the server. */
export async function serveMetrics(
  { metrics: address }: Pick<Config, 'metrics'>,
  read: () => Promise<string>,
): Promise<() => Promise<void>> {
  if (address === null) return async () => undefined;
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await read()),
  );
  await server.listen(address);
  return () => server.close();
}
