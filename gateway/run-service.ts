import cluster from 'node:cluster';
import { readConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { listenToPrimary } from './shutdown.ts';

/** Runs the service in this process. It ends the process itself: when it cannot start, and when it is told to stop. */
export async function runService(): Promise<void> {
  listenToPrimary();
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
