import { defineEntity, p } from '@mikro-orm/core';

/** What all values of one metric of one company share. */
export const MetricSeriesEntity = defineEntity({
  name: 'MetricSeries',
  properties: {
    id: p.bigint('string').primary().autoincrement().generated('identity'),
    companyId: p.text(),
    key: p.text(),
    label: p.text(),
    category: p.text(),
  },
  uniques: [{ name: 'metric_series_company_id_key', properties: ['companyId', 'key'] }],
});
