import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { listenToPrimary } from './shutdown.ts';

/**
 * The growth of the heap before a collection, in percent of the used memory. V8's default of up to four times let one
 * caller with many histories grow the process by 400 MB (docs/decisions/0011).
 */
const heapGrowth = 120;

/** Runs the service in this process. Ends the process if it can't start, and when it is stopped. */
export async function runService(): Promise<void> {
  listenToPrimary();
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  try {
    const config = readConfig();
    // Loaded on demand: the primary process serves nothing itself and starts faster without it.
    if (config.workers > 1 && cluster.isPrimary) {
      await (await import('./workers/index.ts')).startWorkers(config);
    } else {
      await (await import('./service.ts')).startService(config);
    }
  } catch (error) {
    const { message, exitCode } = describeError(error);
    process.stderr.write(`portfolio-access could not start: ${message}\n`);
    process.exit(exitCode);
  }
}
