import { defineEntity, p } from '@mikro-orm/core';
import type { AccessRequestStatus, GrantableScope } from '#core';

const newestFirst = [
  { name: 'createdAt', sort: 'DESC' },
  { name: 'id', sort: 'DESC' },
] as const;

export const AccessRequestEntity = defineEntity({
  name: 'AccessRequest',
  properties: {
    id: p.text().primary(),
    investorId: p.text(),
    companyId: p.text(),
    requestedScopes: p.array().columnType('text[]').$type<readonly GrantableScope[]>(),
    approvedScopes: p.array().columnType('text[]').$type<readonly GrantableScope[]>(),
    status: p.text().$type<AccessRequestStatus>(),
    purpose: p.text().nullable(),
    reason: p.text().nullable(),
    createdAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    deadlineAt: p.datetime(3),
  },
  indexes: [
    {
      name: 'access_request_newest_of_pair',
      properties: ['investorId', 'companyId', 'createdAt', 'id'],
      columns: [{ name: 'investorId' }, { name: 'companyId' }, ...newestFirst],
    },
    {
      name: 'access_request_newest_of_investor',
      properties: ['investorId', 'createdAt', 'id'],
      columns: [{ name: 'investorId' }, ...newestFirst],
    },
    {
      name: 'access_request_newest_of_company',
      properties: ['companyId', 'createdAt', 'id'],
      columns: [{ name: 'companyId' }, ...newestFirst],
    },
    {
      name: 'access_request_live_by_deadline',
      properties: ['deadlineAt', 'id'],
      where: `status in ('pending', 'approved')`,
    },
  ],
  uniques: [
    {
      name: 'access_request_one_live',
      properties: ['investorId', 'companyId'],
      where: `status in ('pending', 'approved')`,
    },
  ],
});
