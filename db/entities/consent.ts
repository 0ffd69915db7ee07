import { defineEntity, p } from '@mikro-orm/core';
import type {
  AccessEventType,
  AccessRequest,
  AccessRequestStatus,
  AccessTerms,
  Actor,
  Approval,
  ApprovalsRequired,
  DataEvent,
  Environment,
  EventType,
  GrantableScope,
  RequestOutcome,
  SignInWay,
} from '#core';

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
    requestedTerms: p.json().$type<AccessTerms>().nullable(),
    approvedTerms: p.json().$type<AccessTerms>().nullable(),
    pendingTerms: p.json().$type<AccessTerms>().nullable(),
    approvals: p.json().$type<readonly Approval[]>().defaultRaw("'[]'::jsonb"),
    status: p.text().$type<AccessRequestStatus>(),
    version: p.text().defaultRaw('(gen_random_uuid())::text'),
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
    reviewAt: p.datetime(3).nullable(),
    pausedAt: p.datetime(3).nullable(),
    firstReadAt: p.datetime(3).nullable(),
    lastEventType: p.text().$type<AccessEventType>(),
  },
});

/** Contains only companies that have changed the required number of approvals. */
export const ApprovalRuleEntity = defineEntity({
  name: 'ApprovalRule',
  properties: {
    companyId: p.text().primary(),
    approvalsRequired: p.smallint().$type<ApprovalsRequired>(),
  },
});

/** `position` is the place of the event in the feed. It is assigned after the commit. */
export const AccessEventEntity = defineEntity({
  name: 'AccessEvent',
  properties: {
    number: p.bigint('string').primary().autoincrement().generated('identity'),
    position: p.bigint('string').nullable(),
    id: p.text(),
    type: p.text().$type<EventType>(),
    createdAt: p.datetime(3),
    /** Null for a data event. The request and the actor of a data event are also null. */
    investorId: p.text().nullable(),
    companyId: p.text(),
    accessRequestId: p.text().nullable(),
    accessRequest: p.json().$type<AccessRequest>().nullable(),
    actorType: p.text().$type<Actor['type']>().nullable(),
    actorId: p.text().nullable(),
    actorSignedInBy: p.text().$type<SignInWay>().nullable(),
    reason: p.text().nullable(),
    data: p.json().$type<DataEvent['data']>().nullable(),
    scopes: p.array().columnType('text[]').$type<readonly GrantableScope[]>().nullable(),
  },
});

/** Stores only the fields of a receipt that its event doesn't have. */
export const ConsentReceiptEntity = defineEntity({
  name: 'ConsentReceipt',
  properties: {
    id: p.text().primary(),
    companyId: p.text(),
    previousId: p.text().nullable(),
    eventId: p.text(),
    accessRequestId: p.text(),
    environment: p.text().$type<Environment>(),
    companyName: p.text(),
    investorName: p.text(),
    issuedAt: p.datetime(3),
    signedAt: p.datetime(3).nullable(),
    signingKey: p.smallint().nullable(),
    signature: p.uint8array().nullable(),
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
    expiresAt: p.datetime(3),
    outcome: p.text().$type<RequestOutcome>().nullable(),
    accessRequestId: p.text().nullable(),
  },
});

/** A table with a single row. Its lock lets only one transaction at a time assign positions. */
export const AccessEventFeedEntity = defineEntity({
  name: 'AccessEventFeed',
  properties: { onlyRow: p.boolean().primary(), lastPosition: p.bigint('string') },
});

export const EventConsumerEntity = defineEntity({
  name: 'EventConsumer',
  properties: { name: p.text().primary(), position: p.bigint('string') },
});
