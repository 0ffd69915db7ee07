import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** The part of the files that a process may open which connections may take; the rest is for all else. */
const partForConnections = 3 / 4;

/** Opening a file takes a thread of its own, which costs more than all else that a resting process does. */
const lookMilliseconds = 5_000;

/** However many files may be open. */
const mostConnections = 20_000;

/** How many connections of callers a process may hold, as its limit of open files goes. */
export function connectionLimit(): number {
  // Otherwise it asks for the names of all peers. Its types don't know of it.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const most = Number(userLimits?.open_files?.soft);
  if (Number.isNaN(most)) return mostConnections;
  return Math.min(mostConnections, Math.floor(most * partForConnections));
}

/**
 * Says when the process, or the machine, can open no more files, and when it can again. Node says nothing by itself: a
 * connection that comes then is closed as if nobody had been there.
 */
export function watchOpenFiles(
  logger: Pick<FastifyBaseLogger, 'error' | 'info'>,
  openOne: () => Promise<void> = openAndClose,
  milliseconds = lookMilliseconds,
): PeriodicTask {
  let isOut = false;
  return runPeriodically(
    async () => {
      await openOne();
      if (isOut) logger.info('files can be opened again');
      isOut = false;
    },
    milliseconds,
    (error) => {
      const { code } = error as NodeJS.ErrnoException;
      if (isOut || (code !== 'EMFILE' && code !== 'ENFILE')) return;
      isOut = true;
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
