import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '#core';

/** The environment stands here once and is part of both foreign keys: no pair can be of two environments. */
export const PortfolioMembershipEntity = defineEntity({
  name: 'PortfolioMembership',
  properties: {
    investorId: p.text().primary(),
    companyId: p.text().primary(),
    environment: p.text().$type<Environment>(),
    addedAt: p.datetime(3),
  },
});
