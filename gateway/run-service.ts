import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { listenToPrimary } from './shutdown.ts';

/**
 * V8 collects garbage when the heap has grown by this percentage of the used memory. By default, the heap may grow to
 * four times its size, and a caller that read many metric histories took 400 MB (docs/decisions/0011).
 */
const heapGrowth = 120;

/** Runs the service in this process. Exits when the service is stopped, or if the service can't start. */
export async function runService(): Promise<void> {
  listenToPrimary();
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  try {
    const config = readConfig();
    // The primary process serves no requests. So it doesn't load the service and starts faster.
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
