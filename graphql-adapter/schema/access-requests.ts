import { AccessError } from '#core';
import { builder } from './builder.ts';
import { findCompany } from './companies.ts';
import { AccessRequestStatus, Scope } from './enums.ts';

builder.objectType('AccessRequest', {
  description: 'A request for a company’s consent.',
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the request, of the form `ar_…`.' }),
    companyId: t.exposeID('companyId', { description: 'Id of the company that was asked.' }),
    company: t.field({
      type: 'Company',
      nullable: true,
      description: 'The company that was asked; null when it has left your portfolio.',
      cost: { reads: 'lookUp' },
      resolve: ({ companyId }, _args, context) =>
        findCompany(context, companyId).catch(nullWhenGone),
    }),
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
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
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

function nullWhenGone(error: unknown): null {
  if (error instanceof AccessError && error.code === 'company_not_found') return null;
  throw error;
}
