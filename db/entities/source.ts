import { defineEntity, p } from '@mikro-orm/core';

export const SourceEntity = defineEntity({
  name: 'Source',
  properties: {
    companyId: p.text().primary(),
    provider: p.text().primary(),
    accountName: p.text().primary(),
    status: p.text(),
    lastSyncedAt: p.datetime(3),
  },
});
