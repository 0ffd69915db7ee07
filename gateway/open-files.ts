import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

const connectionShare = 3 / 4;

/**
 * The interval at which the process tries to open a file. This uses a thread. With a shorter interval, an idle process
 * would spend most of its time on it.
 */
const checkMilliseconds = 5_000;

const maxConnections = 20_000;

/** Returns the limit of connections. It is derived from the process's limit of open files. */
export function connectionLimit(): number {
  // Turns off the lookup of all peers' host names. Node's types don't declare this option.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const most = Number(userLimits?.open_files?.soft);
  if (Number.isNaN(most)) return maxConnections;
  return Math.min(maxConnections, Math.floor(most * connectionShare));
}

/** Logs when the limit is reached, and when it's over. Node itself closes new connections and logs nothing. */
export function watchOpenFiles(
  logger: Pick<FastifyBaseLogger, 'error' | 'info'>,
  openOne: () => Promise<void> = openAndClose,
  milliseconds = checkMilliseconds,
): PeriodicTask {
  let isExhausted = false;
  return runPeriodically(
    async () => {
      await openOne();
      if (isExhausted) logger.info('files can be opened again');
      isExhausted = false;
    },
    milliseconds,
    (error) => {
      const { code } = error as NodeJS.ErrnoException;
      if (isExhausted || (code !== 'EMFILE' && code !== 'ENFILE')) return;
      isExhausted = true;
      logger.error(
        { code },
        'no more files can be opened, so new connections are closed: raise the limit of open files',
      );
    },
  );
}

async function openAndClose(): Promise<void> {
  await (await open(devNull)).close();
}
