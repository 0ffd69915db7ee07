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
    onAnswered(batch) {
      metrics?.observer.onAnswered(batch);
      tracing?.traceBatch(batch);
    },
    onOverdue: (batch) => metrics?.observer.onOverdue(batch),
    onWaited: (pool, milliseconds) => metrics?.observer.onWaited(pool, milliseconds),
  };
}
