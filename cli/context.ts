import type { Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { Composition } from '../gateway/compose.ts';
import { type Config, readConfig } from '../gateway/config.ts';
import { escapeControls } from '../gateway/logs/escape-controls.ts';
import { requireSchema } from '../gateway/schema.ts';

/** The streams and functions of the process that commands use. */
export interface CliContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted by Ctrl-C, so a long command can stop and leave nothing half done. */
  readonly signal: AbortSignal;
  readConfig(): Config;
  withComposition<T>(work: Work<T>, options?: OpenOptions): Promise<T>;
  /** Runs the service in this process. Resolves once it listens. */
  serve(): Promise<void>;
}

type Work<T> = (composition: Composition) => Promise<T>;

export interface OpenOptions {
  /** Accepts a schema of any version. Needed by the command that migrates it. */
  readonly anySchema?: boolean;
}

export function createContext(signal: AbortSignal, serve: CliContext['serve']): CliContext {
  const { stdin, stdout, stderr } = process;
  return { stdin, stdout, stderr, signal, readConfig, withComposition, serve };
}

/**
 * Opens the database, does the work and always closes the database again.
 *
 * @throws ConfigError, and SchemaError if this version needs another schema
 */
async function withComposition<T>(
  work: Work<T>,
  { anySchema = false }: OpenOptions = {},
): Promise<T> {
  const config = readConfig();
  // An import creates garbage for minutes. With 50, the heap grows by half before a collection. By default, it triples.
  setFlagsFromString('--heap-growing-percent=50');
  // Loaded only when needed, so --help doesn't wait for the database library.
  const [{ compose }, { createProcessRateLimiter }] = await Promise.all([
    import('../gateway/compose.ts'),
    import('../gateway/rate-limit/process-rate-limiter.ts'),
  ]);
  // A command doesn't count against a rate limit, so it doesn't need Redis.
  const rateLimiter = createProcessRateLimiter(config.rateLimit);
  // A broken connection fails its query, and the query's error is reported.
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
