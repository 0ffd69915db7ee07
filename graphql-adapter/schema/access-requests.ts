import {
  AccessError,
  type AccessRequest,
  type AccessRequestEdge,
  answerBy,
  connectionSizeOf,
  endDescriptions,
  endedAt,
} from '#core';
import { builder } from './builder.ts';
import { findCompany } from './companies.ts';
import { createConnection } from './connection.ts';
import { AccessRequestStatus, Scope } from './enums.ts';

/** The fields of an access request that need no read. A subscription returns only these. */
export const AccessRequestState = builder.interfaceRef<AccessRequest>('AccessRequestState');
AccessRequestState.implement({
  description:
    'The fields of an access request without its company, history and receipts. Read those with a query.',
  resolveType: () => 'AccessRequest',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the request, of the form `ar_…`.' }),
    companyId: t.exposeID('companyId', { description: 'ID of the company.' }),
    requestedScopes: t.expose('requestedScopes', {
      type: [Scope],
      description: 'The requested data.',
    }),
    approvedScopes: t.expose('approvedScopes', {
      type: [Scope],
      description: 'The scopes that the company approved. Empty before the approval.',
    }),
    pendingScopes: t.expose('pendingScopes', {
      type: [Scope],
      description:
        'Scopes requested in addition to a grant, before the company decides. The grant stays in force.',
    }),
    status: t.expose('status', {
      type: AccessRequestStatus,
      description: 'The present status.',
    }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      description: 'The reason for the request.',
    }),
    pendingPurpose: t.exposeString('pendingPurpose', {
      nullable: true,
      description:
        'The purpose of the addition. Becomes the purpose when the addition is approved.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The company’s reason for declining or revoking. Null without one.',
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the company’s last decision. Null before the first one.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The end of the grant. Null before the approval.',
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: endDescriptions.endedAt,
      resolve: endedAt,
    }),
    answerBy: t.field({
      type: 'DateTime',
      nullable: true,
      description: endDescriptions.answerBy,
      resolve: answerBy,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the request.' }),
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
        findCompany(context, companyId).catch(nullWhenGone),
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
  one: 'access request',
  several: 'access requests',
  maxItems: 200,
  isCounted: true,
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

function nullWhenGone(error: unknown): null {
  if (error instanceof AccessError && error.code === 'company_not_found') return null;
  throw error;
}
