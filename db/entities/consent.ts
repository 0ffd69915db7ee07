import { defineEntity, p } from '@mikro-orm/core';
import type {
  AccessEventType,
  AccessRequest,
  AccessRequestStatus,
  Environment,
  GrantableScope,
  RequestOutcome,
  Scope,
} from '#core';

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

/** Both foreign keys contain the environment, so no pair can be of two environments. */
export const PortfolioMembershipEntity = defineEntity({
  name: 'PortfolioMembership',
  properties: {
    investorId: p.text().primary(),
    companyId: p.text().primary(),
    environment: p.text().$type<Environment>(),
    addedAt: p.datetime(3),
  },
});

/** Holds the SHA-256 digest of the secret, never the secret itself. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.text().primary(),
    investorId: p.text(),
    environment: p.text().$type<Environment>(),
    digest: p.uint8array().unique('api_key_digest'),
    hint: p.text(),
    scopes: p.array().columnType('text[]').$type<readonly Scope[]>(),
    rateLimit: p.integer().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    replacedBy: p.text().nullable(),
  },
  indexes: [{ name: 'api_key_of_investor', properties: ['investorId', 'createdAt', 'id'] }],
});

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

/** Written in the transaction of the transition, read in the order of `position`. */
export const AccessEventEntity = defineEntity({
  name: 'AccessEvent',
  properties: {
    position: p.bigint('string').primary().autoincrement().generated('identity'),
    id: p.text().unique('access_event_id'),
    type: p.text().$type<AccessEventType>(),
    createdAt: p.datetime(3),
    accessRequestId: p.text(),
    accessRequest: p.json().$type<AccessRequest>(),
  },
});

export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  properties: {
    investorId: p.text().primary(),
    key: p.text().primary(),
    claimId: p.text(),
    fingerprint: p.uint8array(),
    claimedAt: p.datetime(3),
    leasedUntil: p.datetime(3),
    expiresAt: p.datetime(3).index('idempotency_key_by_expiry'),
    outcome: p.text().$type<RequestOutcome>().nullable(),
    accessRequestId: p.text().nullable(),
  },
});
