import { fastify } from 'fastify';
import { Registry } from 'prom-client';

/** Serves `/metrics`; resolves to what stops it. */
export async function serveMetrics(
  address: { host: string; port: number },
  read: () => Promise<string>,
): Promise<() => Promise<void>> {
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await read()),
  );
  await server.listen(address);
  return () => server.close();
}
