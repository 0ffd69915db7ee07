import type { CompanyData, Metric } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';

/** Metrics that tell when an answer is made of them. */
export class WatchedMetrics {
  /** How often the label of a metric was looked at to put it into an answer. */
  looks = 0;
  /** Whether the next currency that is put into an answer cannot be. */
  isBroken = false;

  /** What the service reads, as a process remembers it. */
  of(data: CompanyData): CompanyData {
    const watch = (metrics: readonly Metric[]) => metrics.map((metric) => this.#watch(metric));
    const watched: CompanyData = {
      ...data,
      latestMetrics: async (...asked) => watch(await data.latestMetrics(...asked)),
      metricHistory: async (...asked) => watch(await data.metricHistory(...asked)),
    };
    return cacheCompanyData(watched, new DataCache(10_000_000));
  }

  #watch(metric: Metric): Metric {
    return Object.defineProperties(
      { ...metric },
      {
        label: {
          get: () => {
            this.looks += 1;
            return metric.label;
          },
        },
        currency: {
          get: () => {
            if (this.isBroken) throw new Error('broken');
            return metric.currency;
          },
        },
      },
    );
  }
}
