import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Tracing } from './tracing.ts';

export type { Tracing } from './tracing.ts';

/** Null unless tracing is configured. Then nothing of OpenTelemetry is loaded. */
export async function startTracing(
  { tracing }: Pick<Config, 'tracing'>,
  logger: Pick<Logger, 'warn' | 'info'>,
): Promise<Tracing | null> {
  if (tracing === null) return null;
  const { createTracing } = await import('./open-telemetry.ts');
  return createTracing(tracing, logger);
}
