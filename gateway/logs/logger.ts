import cluster from 'node:cluster';
import { type DestinationStream, type Logger, pino } from 'pino';
import { readVersion } from '../version.ts';
import { writeTogether } from './log-lines.ts';
import type { OutageLog } from './outage-log.ts';
import { redactKeys } from './redact-keys.ts';

export function createLogger(
  level: string,
  destination: DestinationStream = writeTogether(pino.destination({ sync: true })),
  { logMethod }: Partial<OutageLog> = {},
): Logger {
  const hooks = logMethod === undefined ? {} : { logMethod };
  return pino({ level, serializers: { err: serializeError }, hooks }, destination);
}

/** SQLSTATE classes 22 (data) and 23 (constraint). The messages of these errors quote the rejected value or row. */
const quotesValues = /^2[23][0-9A-Z]{3}$/;

/** Serializes an error, but leaves out all data that a caller sent. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'not an error', type: typeof error };
  const { code, constraint, table } = error as {
    code?: unknown;
    constraint?: unknown;
    table?: unknown;
  };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message: quotesValues.test(String(code))
      ? 'the database refused a value'
      : redactKeys(error.message.split('\n')[0] ?? '').slice(0, 300),
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    stack: frames.join('\n'),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}

export function logStart(
  logger: Pick<Logger, 'info'>,
  { workers }: { readonly workers: number },
): void {
  if (cluster.isWorker) return;
  logger.info({ version: readVersion(), node: process.version, workers }, 'starting');
}
