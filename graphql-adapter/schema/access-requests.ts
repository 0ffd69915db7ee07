import {
  AccessError,
  type AccessRequest,
  type AccessRequestEdge,
  answerBy,
  connectionSizeOf,
  findEndedAt,
} from '#core';
import { accessRequestResource } from '#http';
import { builder } from './builder.ts';
import { findCompany } from './companies.ts';
import { createConnection } from './connection.ts';
import { describe } from './describe.ts';
import { AccessRequestStatus, Scope } from './enums.ts';

const request = describe(accessRequestResource);

/** The fields that need no further read. A subscription returns only these fields. */
export const AccessRequestState = builder.interfaceRef<AccessRequest>('AccessRequestState');
AccessRequestState.implement({
  description:
    'The fields of an access request without its company, history and receipts. Read those with a query.',
  resolveType: () => 'AccessRequest',
  fields: (t) => ({
    id: t.exposeID('id', { description: request.id }),
    companyId: t.exposeID('companyId', { description: request.companyId }),
    requestedScopes: t.expose('requestedScopes', {
      type: [Scope],
      description: request.requestedScopes,
    }),
    approvedScopes: t.expose('approvedScopes', {
      type: [Scope],
      description: request.approvedScopes,
    }),
    pendingScopes: t.expose('pendingScopes', { type: [Scope], description: request.pendingScopes }),
    status: t.expose('status', { type: AccessRequestStatus, description: request.status }),
    purpose: t.exposeString('purpose', { nullable: true, description: request.purpose }),
    pendingPurpose: t.exposeString('pendingPurpose', {
      nullable: true,
      description: request.pendingPurpose,
    }),
    reason: t.exposeString('reason', { nullable: true, description: request.reason }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: request.decidedAt,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: request.expiresAt,
    }),
    requestedTerms: t.expose('requestedTerms', {
      type: 'AccessTerms',
      nullable: true,
      description: request.requestedTerms,
    }),
    approvedTerms: t.expose('approvedTerms', {
      type: 'AccessTerms',
      nullable: true,
      description: request.approvedTerms,
    }),
    pendingTerms: t.expose('pendingTerms', {
      type: 'AccessTerms',
      nullable: true,
      description: request.pendingTerms,
    }),
    pausedAt: t.expose('pausedAt', {
      type: 'DateTime',
      nullable: true,
      description: request.pausedAt,
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: request.endedAt,
      resolve: findEndedAt,
    }),
    answerBy: t.field({
      type: 'DateTime',
      nullable: true,
      description: request.answerBy,
      resolve: answerBy,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: request.createdAt }),
  }),
});

builder.objectType('AccessRequest', {
  description: 'A request for a company’s consent.',
  interfaces: ['Node', AccessRequestState],
  fields: (t) => ({
    company: t.field({
      type: 'Company',
      nullable: true,
      description: 'The company that received the request. Null if it has left your portfolio.',
      cost: { reads: 'lookUp' },
      resolve: ({ companyId }, _args, context) =>
        findCompany(context, companyId).catch(returnNullIfNotFound),
    }),
  }),
});

builder.queryField('accessRequest', (t) =>
  t.field({
    type: 'AccessRequest',
    nullable: true,
    description:
      'One access request of your organisation. Null with the error `access_request_not_found` if it doesn’t exist.',
    cost: { reads: 'lookUp' },
    args: { id: t.arg.id({ required: true, description: 'ID of the request.' }) },
    resolve: (_root, args, { useCases, caller }) => useCases.readAccessRequest(caller, args),
  }),
);

const AccessRequestConnection = createConnection('AccessRequest', {
  singular: 'access request',
  plural: 'access requests',
  maxItems: 200,
  hasTotalCount: true,
  nodeOf: ({ accessRequest }: AccessRequestEdge) => accessRequest,
});

builder.queryField('accessRequests', (t) =>
  t.field({
    type: AccessRequestConnection,
    nullable: true,
    description:
      'A page of your organisation’s access requests, newest first. Default page size: 100, at most 200. Each page costs a point.',
    cost: { reads: 'chargedPage', itemsBelow: connectionSizeOf },
    args: {
      first: t.arg.int({ description: 'The page size, from the newest item or from `after`.' }),
      after: t.arg.string({ description: 'The `endCursor` of the previous page.' }),
      last: t.arg.int({
        description: 'The page size, from the oldest item or from `before` backwards.',
      }),
      before: t.arg.string({ description: 'The `startCursor` of the following page.' }),
      status: t.arg({
        type: AccessRequestStatus,
        description: 'Only requests with this status.',
      }),
    },
    resolve: (_root, page, { useCases, caller }) => useCases.pageAccessRequests(caller, page),
  }),
);

function returnNullIfNotFound(error: unknown): null {
  if (error instanceof AccessError && error.code === 'company_not_found') return null;
  throw error;
}
