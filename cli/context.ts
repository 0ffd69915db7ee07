import type { Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { Composition } from '../gateway/compose.ts';
import { type Config, readConfig } from '../gateway/config.ts';
import { escapeControls } from '../gateway/logs/escape-controls.ts';
import { requireSchema } from '../gateway/schema.ts';

export interface CliContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted by Ctrl-C. A long command can then stop cleanly. */
  readonly signal: AbortSignal;
  readConfig(): Config;
  withComposition<T>(work: Work<T>, options?: OpenOptions): Promise<T>;
  /** Resolves when the service in this process accepts connections. */
  serve(): Promise<void>;
}

type Work<T> = (composition: Composition) => Promise<T>;

export interface OpenOptions {
  /** True to accept any version of the database schema, because the command `migrate` updates an old one. */
  readonly anySchema?: boolean;
}

export function createContext(signal: AbortSignal, serve: CliContext['serve']): CliContext {
  const { stdin, stdout, stderr } = process;
  return { stdin, stdout, stderr, signal, readConfig, withComposition, serve };
}

/**
 * @throws ConfigError
 * @throws SchemaError if this program version needs another database schema
 */
async function withComposition<T>(
  work: Work<T>,
  { anySchema = false }: OpenOptions = {},
): Promise<T> {
  const config = readConfig();
  // An import creates garbage for minutes. With Node's default, the heap could triple before a garbage collection.
  setFlagsFromString('--heap-growing-percent=50');
  // A static import would slow down --help.
  const [{ compose }, { createProcessRateLimiter }] = await Promise.all([
    import('../gateway/compose.ts'),
    import('../gateway/rate-limit/process-rate-limiter.ts'),
  ]);
  // Commands have no rate limit, so they don't need Redis.
  const rateLimiter = createProcessRateLimiter(config.rateLimit);
  // The query on a broken connection throws the same error.
  const onError = () => undefined;
  const onProblem = (message: string) =>
    void process.stderr.write(`warning: ${escapeControls(message)}\n`);
  const composition = await compose(config, {
    role: 'command',
    rateLimiter,
    onError,
    onProblem,
  });
  try {
    if (!anySchema) await requireSchema(composition.database, config);
    return await work(composition);
  } finally {
    rateLimiter.close();
    await composition.database.close();
  }
}
