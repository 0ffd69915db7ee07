import type { Registry } from '@prometheus-io/client';

/** A message from the primary process to a worker. */
export interface MetricsRequest {
  readonly metricsRequest: number;
}

export interface MetricsResponse {
  readonly metricsResponse: number;
  readonly metrics: WorkerMetrics;
}

export type WorkerMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Workers don't serve metrics. They send them to the primary process, which adds them up. */
export function sendMetricsToPrimary(registry: Registry): void {
  process.on('message', async ({ metricsRequest }: Partial<MetricsRequest>) => {
    if (metricsRequest === undefined) return;
    const response: MetricsResponse = {
      metricsResponse: metricsRequest,
      metrics: await registry.getMetricsAsJSON(),
    };
    process.send?.(response);
  });
}
