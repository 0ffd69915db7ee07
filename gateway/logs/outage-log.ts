import type { LogFn, Logger } from 'pino';
import { findOutageReason } from '#db';

export interface OutageLog {
  /** Replaces the first log line about a database outage, and drops further lines until `end` is called. */
  logMethod(this: Logger, line: Parameters<LogFn>, write: LogFn): void;
  /** Must be called after each answer of the database. */
  end(logger: Pick<Logger, 'info'>): void;
}

/** The outage is over if no call has failed for this long. Calls that began during it can fail after a success. */
const quietMilliseconds = 5_000;

/** Logs a database outage in one line instead of one line per task. */
export function createOutageLog(): OutageLog {
  let isUnavailable = false;
  let lostAt = 0;
  return {
    logMethod(line, write) {
      const [fields] = line as readonly unknown[];
      const isError = typeof fields === 'object' && fields !== null && 'err' in fields;
      const reason = isError ? findOutageReason(fields.err) : null;
      if (reason === null) return write.apply(this, line);
      if (!isUnavailable)
        this.error({ reason }, 'PostgreSQL does not answer: calls get 503 until it does');
      isUnavailable = true;
      lostAt = performance.now();
    },
    end(logger) {
      if (!isUnavailable || performance.now() - lostAt < quietMilliseconds) return;
      isUnavailable = false;
      logger.info('PostgreSQL answers again');
    },
  };
}
