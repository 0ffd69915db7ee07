import type { CompanyData, Metric } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';

/** Wraps metrics, and counts how often an answer is built from them. */
export class WatchedMetrics {
  /** The number of times that an answer has read a metric's label. */
  looks = 0;
  /** True if an answer must fail when it reads a metric's currency. */
  isBroken = false;

  /** Wraps the company data of a service, and caches it as a process does. */
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
