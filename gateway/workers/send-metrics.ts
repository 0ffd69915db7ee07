import type { Registry } from '@prometheus-io/client';

export interface MetricsRequest {
  readonly metricsRequest: number;
}

export interface MetricsResponse {
  readonly metricsResponse: number;
  readonly metrics: WorkerMetrics;
}

export type WorkerMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Sends the metrics of this worker to the primary process, which serves the sum of all workers. */
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
