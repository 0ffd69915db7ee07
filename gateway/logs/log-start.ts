import cluster from 'node:cluster';
import type { FastifyBaseLogger } from 'fastify';
import { readVersion } from '../version.ts';

/** One line for all processes of a service: which release starts, on which Node, and as how many processes. */
export function logStart(
  logger: Pick<FastifyBaseLogger, 'info'>,
  { workers }: { readonly workers: number },
): void {
  if (cluster.isWorker) return;
  logger.info({ version: readVersion(), node: process.version, workers }, 'starting');
}
