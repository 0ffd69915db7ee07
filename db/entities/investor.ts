import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '#core';

export const InvestorEntity = defineEntity({
  name: 'Investor',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    environment: p.text().$type<Environment>(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'investor_id_environment', properties: ['id', 'environment'] }],
});
