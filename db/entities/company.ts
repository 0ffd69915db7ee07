import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '#core';

export const CompanyEntity = defineEntity({
  name: 'Company',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    environment: p.text().$type<Environment>(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'company_id_environment', properties: ['id', 'environment'] }],
});
