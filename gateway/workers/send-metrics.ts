import type { Registry } from '@prometheus-io/client';

/** From the primary process to a worker. */
export interface MetricsRequest {
  readonly metricsRequest: number;
}

export interface MetricsResponse {
  readonly metricsResponse: number;
  readonly metrics: WorkerMetrics;
}

export type WorkerMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A worker serves no metrics itself: it sends them to the primary process, which adds them up. */
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
