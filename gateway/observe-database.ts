import type { DatabaseObserver } from '#db';
import type { Metrics } from './metrics/index.ts';
import type { Tracing } from './tracing/open-telemetry.ts';

export function observeDatabase(
  metrics: Pick<Metrics, 'observer'> | null,
  tracing: Pick<Tracing, 'currentSpan' | 'traceBatch'> | null,
): DatabaseObserver | undefined {
  if (metrics === null && tracing === null) return undefined;
  return {
    contextOfQuestion: tracing?.currentSpan ?? (() => undefined),
    answered(batch) {
      metrics?.observer.answered(batch);
      tracing?.traceBatch(batch);
    },
    overdue: (batch) => metrics?.observer.overdue(batch),
    waited: (pool, milliseconds) => metrics?.observer.waited(pool, milliseconds),
  };
}
