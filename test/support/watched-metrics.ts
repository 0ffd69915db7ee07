import type { CompanyData, Metric } from '#core';
import { DataCache } from '#http';
import { cacheCompanyData } from '../../gateway/company-data-cache.ts';

/** Counts how often an answer is built from the metrics. */
export class WatchedMetrics {
  /** Counts the reads of a metric's label. */
  looks = 0;
  /** Makes an answer fail when it reads a metric's currency. */
  isBroken = false;

  /** Caches the company data as a process does. */
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
