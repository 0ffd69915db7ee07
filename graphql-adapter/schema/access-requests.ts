import { AccessError, type AccessRequestEdge, connectionSizeOf } from '#core';
import { builder } from './builder.ts';
import { findCompany } from './companies.ts';
import { createConnection } from './connection.ts';
import { AccessRequestStatus, Scope } from './enums.ts';

builder.objectType('AccessRequest', {
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id'),
    companyId: t.exposeID('companyId'),
    company: t.field({
      type: 'Company',
      nullable: true,
      cost: { reads: 'lookUp' },
      resolve: ({ companyId }, _args, context) =>
        findCompany(context, companyId).catch(nullWhenGone),
    }),
    requestedScopes: t.expose('requestedScopes', { type: [Scope] }),
    approvedScopes: t.expose('approvedScopes', { type: [Scope] }),
    pendingScopes: t.expose('pendingScopes', { type: [Scope] }),
    status: t.expose('status', { type: AccessRequestStatus }),
    purpose: t.exposeString('purpose', { nullable: true }),
    pendingPurpose: t.exposeString('pendingPurpose', { nullable: true }),
    reason: t.exposeString('reason', { nullable: true }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.queryField('accessRequest', (t) =>
  t.field({
    type: 'AccessRequest',
    nullable: true,
    cost: { reads: 'lookUp' },
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, args, { useCases, caller }) => useCases.readAccessRequest(caller, args),
  }),
);

const AccessRequestConnection = createConnection('AccessRequest', {
  maxItems: 200,
  nodeOf: ({ accessRequest }: AccessRequestEdge) => accessRequest,
});

builder.queryField('accessRequests', (t) =>
  t.field({
    type: AccessRequestConnection,
    nullable: true,
    cost: { reads: 'chargedPage', itemsBelow: connectionSizeOf },
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      last: t.arg.int(),
      before: t.arg.string(),
      status: t.arg({ type: AccessRequestStatus }),
    },
    resolve: (_root, page, { useCases, caller }) => useCases.pageAccessRequests(caller, page),
  }),
);

function nullWhenGone(error: unknown): null {
  if (error instanceof AccessError && error.code === 'company_not_found') return null;
  throw error;
}
