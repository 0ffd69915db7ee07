import { type DestinationStream, type Logger, pino } from 'pino';

/** JSON lines, without anything in them that a caller sent. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, serializers: { err: serializeError } };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** The driver puts the row that a statement failed on, and the statement itself, behind these. */
const valuesOf =
  /( - (detail|Failing row|insert|update|delete|select)\b| ?\(?Failing row contains).*/is;

/**
 * An error for the log: what and where it was, and nothing of what a caller sent. A database's error names the rows and
 * values that it failed on, so only its codes and the frames of the stack are kept.
 */
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
    message: error.message.split('\n')[0]?.replace(valuesOf, '').slice(0, 300),
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    stack: frames.join('\n'),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}
