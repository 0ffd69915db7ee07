import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { listenToPrimary } from './shutdown.ts';

/**
 * How much may become garbage before it is collected, in percent of what is in use. V8 waits for up to four times as
 * much, so one caller who reads many histories made the process 400 MB larger (docs/decisions/0073).
 */
const heapGrowth = 120;

/** Runs the service in this process. It ends the process itself: when it cannot start, and when it is told to stop. */
export async function runService(): Promise<void> {
  listenToPrimary();
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  try {
    const config = readConfig();
    // Each is loaded only where it is needed: the primary process serves nothing itself, and starts sooner so.
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
