import { defineEntity, p } from '@mikro-orm/core';
import type {
  AccessEventType,
  AccessRequest,
  AccessRequestStatus,
  Actor,
  Environment,
  GrantableScope,
  RequestOutcome,
} from '#core';

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
    previousScopes: p.array().columnType('text[]').$type<readonly GrantableScope[]>(),
    pendingScopes: p.array().columnType('text[]').$type<readonly GrantableScope[]>(),
    status: p.text().$type<AccessRequestStatus>(),
    version: p.text(),
    amendments: p.integer().default(0),
    purpose: p.text().nullable(),
    pendingPurpose: p.text().nullable(),
    additionDeclined: p.boolean().default(false),
    reason: p.text().nullable(),
    createdAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    deadlineAt: p.datetime(3),
    expiringAt: p.datetime(3).nullable(),
    lastEventType: p.text().$type<AccessEventType>(),
    /** The end of the chain of its receipts; a trigger keeps it. */
    lastReceiptId: p.text().nullable(),
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
    {
      name: 'access_request_by_notice',
      properties: ['expiringAt', 'id'],
      where: 'expiring_at is not null',
    },
    {
      name: 'access_request_grants_of_company',
      properties: ['companyId', 'deadlineAt', 'id'],
      where: `status = 'approved'`,
    },
    {
      name: 'access_request_waiting_of_company',
      properties: ['companyId', 'createdAt', 'id'],
      where: `status = 'pending' or cardinality(pending_scopes) > 0`,
    },
    {
      name: 'access_request_investors_of_company',
      properties: ['companyId', 'investorId', 'createdAt', 'id'],
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

/** Written in the transaction of the change; read in the order of `position`, which it gets when that is committed. */
export const AccessEventEntity = defineEntity({
  name: 'AccessEvent',
  properties: {
    number: p.bigint('string').primary().autoincrement().generated('identity'),
    position: p.bigint('string').nullable().unique('access_event_position'),
    id: p.text().unique('access_event_id'),
    type: p.text().$type<AccessEventType>(),
    createdAt: p.datetime(3),
    investorId: p.text(),
    companyId: p.text(),
    accessRequestId: p.text(),
    accessRequest: p.json().$type<AccessRequest>(),
    actorType: p.text().$type<Actor['type']>(),
    actorId: p.text().nullable(),
    reason: p.text().nullable(),
  },
  indexes: [
    {
      name: 'access_event_without_position',
      properties: ['number'],
      where: 'position is null',
    },
    { name: 'access_event_of_company', properties: ['companyId', 'position'] },
    { name: 'access_event_of_investor', properties: ['investorId', 'position'] },
    { name: 'access_event_of_request', properties: ['accessRequestId', 'number'] },
    { name: 'access_event_by_time', properties: ['createdAt'] },
  ],
});

/** Only what its event does not say already. */
export const ConsentReceiptEntity = defineEntity({
  name: 'ConsentReceipt',
  properties: {
    id: p.text().primary(),
    companyId: p.text(),
    previousId: p.text().nullable().unique('consent_receipt_has_one_successor'),
    eventId: p.text().unique('consent_receipt_of_event'),
    accessRequestId: p.text(),
    environment: p.text().$type<Environment>(),
    companyName: p.text(),
    investorName: p.text(),
    issuedAt: p.datetime(3),
    signedAt: p.datetime(3).nullable(),
    signingKey: p.smallint().nullable(),
    signature: p.uint8array().nullable(),
  },
  indexes: [
    {
      name: 'consent_receipt_unsigned',
      properties: ['issuedAt', 'id'],
      where: 'signature is null',
    },
  ],
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

/** The one row whose lock gives positions to events, one transaction after the other. */
export const AccessEventFeedEntity = defineEntity({
  name: 'AccessEventFeed',
  properties: { onlyRow: p.boolean().primary(), lastPosition: p.bigint('string') },
});

/** How far a consumer of the feed has come. */
export const EventConsumerEntity = defineEntity({
  name: 'EventConsumer',
  properties: { name: p.text().primary(), position: p.bigint('string') },
});
