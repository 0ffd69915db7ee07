import { defineEntity, p } from '@mikro-orm/core';

/** One value for one period. The primary key is the order in which histories are read. */
export const MetricPointEntity = defineEntity({
  name: 'MetricPoint',
  properties: {
    seriesId: p.bigint('string').primary(),
    period: p.date().primary(),
    currency: p.text().nullable(),
    rawValue: p.decimal('string').columnType('numeric'),
    value: p.text(),
    asOf: p.datetime(3),
    confidence: p.text(),
    sourceSystem: p.text(),
    sourceMethod: p.text(),
    lastSynced: p.datetime(3),
    verified: p.boolean(),
  },
});
