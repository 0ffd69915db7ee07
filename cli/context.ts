import type { Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { Composition } from '../gateway/compose.ts';
import { type Config, readConfig } from '../gateway/config.ts';
import { escapeControls } from '../gateway/logs/escape-controls.ts';
import { requireSchema } from '../gateway/schema.ts';

/** What the commands need from the process that they run in. */
export interface CliContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted by Ctrl-C, so that a long command can stop and leave nothing half done. */
  readonly signal: AbortSignal;
  readConfig(): Config;
  withComposition<T>(work: Work<T>, options?: OpenOptions): Promise<T>;
  /** Runs the service in this process; resolves once it listens. */
  serve(): Promise<void>;
}

type Work<T> = (composition: Composition) => Promise<T>;

export interface OpenOptions {
  /** Takes the schema as it is: for the command that changes it. */
  readonly anySchema?: boolean;
}

export function createContext(signal: AbortSignal, serve: CliContext['serve']): CliContext {
  const { stdin, stdout, stderr } = process;
  return { stdin, stdout, stderr, signal, readConfig, withComposition, serve };
}

/**
 * Opens the database for the time of the work, and closes it whatever happens.
 *
 * @throws ConfigError, and SchemaError when the schema is not what this version needs
 */
async function withComposition<T>(
  work: Work<T>,
  { anySchema = false }: OpenOptions = {},
): Promise<T> {
  const config = readConfig();
  // An import makes garbage for minutes: the heap grows by half before it is collected, not to three times what is needed.
  setFlagsFromString('--heap-growing-percent=50');
  // Loaded only when needed: --help should not wait for the database library.
  const [{ compose }, { createProcessRateLimiter }] = await Promise.all([
    import('../gateway/compose.ts'),
    import('../gateway/rate-limit/process-rate-limiter.ts'),
  ]);
  // A command spends no caller's points, so it needs no Redis.
  const rateLimiter = createProcessRateLimiter(config.rateLimit);
  // A connection that breaks fails its query, and that error is the one to report.
  const onError = () => undefined;
  const onSigningKeyProblem = (message: string) =>
    void process.stderr.write(`warning: ${escapeControls(message)}\n`);
  const composition = await compose(config, {
    role: 'command',
    rateLimiter,
    onError,
    onSigningKeyProblem,
  });
  try {
    if (!anySchema) await requireSchema(composition.database, config);
    return await work(composition);
  } finally {
    rateLimiter.close();
    await composition.database.close();
  }
}
