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
    id: t.exposeID('id', { description: 'Id of the request, of the form `ar_…`.' }),
    companyId: t.exposeID('companyId', { description: 'Id of the company that was asked.' }),
    requestedScopes: t.expose('requestedScopes', {
      type: [Scope],
      description: 'What was asked for.',
    }),
    approvedScopes: t.expose('approvedScopes', {
      type: [Scope],
      description: 'What the company has approved; empty until it has.',
    }),
    pendingScopes: t.expose('pendingScopes', {
      type: [Scope],
      description:
        'What is asked for in addition to a grant and not decided on: the grant goes on meanwhile.',
    }),
    status: t.expose('status', {
      type: AccessRequestStatus,
      description: 'What has become of the request, now.',
    }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      description: 'The explanation that came with the request.',
    }),
    pendingPurpose: t.exposeString('pendingPurpose', {
      nullable: true,
      description: 'What the addition is for; it becomes the purpose when it is approved.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the company declined or revoked, in its own words.',
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the company last decided; null until it has.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the grant ends; null until there is one.',
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
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
  }),
});

builder.objectType('AccessRequest', {
  description: 'A request for a company’s consent.',
  interfaces: ['Node', AccessRequestState],
  fields: (t) => ({
    company: t.field({
      type: 'Company',
      nullable: true,
      description: 'The company that received the request; null if it has left your portfolio.',
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
      'One access request of your organisation. Null, with the error `access_request_not_found`, when there is no such request.',
    cost: { reads: 'lookUp' },
    args: { id: t.arg.id({ required: true, description: 'Id of the request.' }) },
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
      'The access requests of your organisation, newest first, page by page: 100 unless `first` or `last` says, at most 200. Each page costs a point.',
    cost: { reads: 'chargedPage', itemsBelow: connectionSizeOf },
    args: {
      first: t.arg.int({ description: 'So many of the newest, or of those after `after`.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      last: t.arg.int({ description: 'So many of the oldest, or of those before `before`.' }),
      before: t.arg.string({ description: 'The `startCursor` of the page that follows.' }),
      status: t.arg({
        type: AccessRequestStatus,
        description: 'Only requests that have this status now.',
      }),
    },
    resolve: (_root, page, { useCases, caller }) => useCases.pageAccessRequests(caller, page),
  }),
);

function nullWhenGone(error: unknown): null {
  if (error instanceof AccessError && error.code === 'company_not_found') return null;
  throw error;
}
