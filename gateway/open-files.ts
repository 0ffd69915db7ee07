import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** The share of open files for connections. The rest is for everything else. */
const partForConnections = 3 / 4;

/** Checked rarely, because opening a file uses a thread and would be most of an idle process's work. */
const checkMilliseconds = 5_000;

/** The upper limit, however many files may be open. */
const maxConnections = 20_000;

/** Returns the number of connections that the process's limit of open files allows. */
export function connectionLimit(): number {
  // Otherwise the report looks up the names of all peers. Its types lack this option.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const most = Number(userLimits?.open_files?.soft);
  if (Number.isNaN(most)) return maxConnections;
  return Math.min(maxConnections, Math.floor(most * partForConnections));
}

/**
 * Logs when the limit of open files is reached, and when files can be opened again. Node closes new connections without
 * a message.
 */
export function watchOpenFiles(
  logger: Pick<FastifyBaseLogger, 'error' | 'info'>,
  openOne: () => Promise<void> = openAndClose,
  milliseconds = checkMilliseconds,
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
