import type { CompanyData, Metric } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';

/** Metrics that record when an answer is built from them. */
export class WatchedMetrics {
  /** The number of reads of a metric's label for an answer. */
  looks = 0;
  /** True if reading a currency for an answer must fail. */
  isBroken = false;

  /** Wraps the company data that the service reads, with the cache of a process. */
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
