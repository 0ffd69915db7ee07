import { defineEntity, p } from '@mikro-orm/core';

export const CompanyDataVersionEntity = defineEntity({
  name: 'CompanyDataVersion',
  properties: {
    companyId: p.text().primary(),
    version: p.bigint('string'),
  },
});
