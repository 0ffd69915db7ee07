import { AccessError, type RequestAccessInput as Input } from '#core';
import { builder } from './builder.ts';
import { findCompany } from './companies.ts';
import { AccessRequestStatus, Scope } from './enums.ts';

builder.objectType('AccessRequest', {
  description: 'A request for a company’s consent.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the request, of the form `ar_…`.' }),
    companyId: t.exposeID('companyId', { description: 'Id of the company that was asked.' }),
    company: t.field({
      type: 'Company',
      nullable: true,
      description: 'The company that was asked; null when it has left your portfolio.',
      extensions: { isRead: true },
      resolve: ({ companyId }, _args, context, info) =>
        findCompany(context, companyId, info).catch(nullWhenGone),
    }),
    requestedScopes: t.expose('requestedScopes', {
      type: [Scope],
      description: 'What was asked for.',
    }),
    approvedScopes: t.expose('approvedScopes', {
      type: [Scope],
      description: 'What the company has approved; empty until it has.',
    }),
    status: t.expose('status', {
      type: AccessRequestStatus,
      description: 'What has become of the request, now.',
    }),
    purpose: t.exposeString('purpose', {
      nullable: true,
      description: 'The explanation that came with the request.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the grant ends; null until there is one.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked.' }),
  }),
});

builder.queryField('accessRequests', (t) =>
  t.field({
    type: ['AccessRequest'],
    nullable: true,
    description: 'All access requests of your organisation, newest first.',
    extensions: { items: 100, isRead: true },
    args: {
      status: t.arg({
        type: AccessRequestStatus,
        description: 'Only requests that have this status now.',
      }),
    },
    resolve: (_root, { status }, { useCases, caller, reads }, info) =>
      reads.list(info, () => useCases.listAccessRequests(caller, { status: status ?? undefined })),
  }),
);

builder.queryField('accessRequest', (t) =>
  t.field({
    type: 'AccessRequest',
    nullable: true,
    description:
      'One access request of your organisation. Null, with the error `access_request_not_found`, when there is no such request.',
    extensions: { isRead: true },
    args: { id: t.arg.id({ required: true, description: 'Id of the request.' }) },
    resolve: (_root, args, { useCases, caller, reads }, info) =>
      reads.find(info, () => useCases.readAccessRequest(caller, args)),
  }),
);

const RequestOutcome = builder.enumType('RequestOutcome', {
  description: 'Whether a request came to be, or was there.',
  values: {
    CREATED: {
      value: 'created',
      description: 'The request was created.',
    },
    EXISTING: {
      value: 'existing',
      description: 'A live request covers what was asked; it is returned as it is.',
    },
  } as const,
});

const RequestAccessInput = builder.inputType('RequestAccessInput', {
  description: 'What a company is asked for.',
  fields: (t) => ({
    companyId: t.id({ required: true, description: 'Id of a company of your portfolio.' }),
    scopes: t.field({
      type: [Scope],
      required: true,
      description:
        'At least one of METRICS_READ, ACCOUNTS_READ, SOURCES_READ. Duplicates are folded.',
    }),
    purpose: t.string({
      description: 'Explanation that goes with the request; at most 1,000 characters.',
    }),
    idempotencyKey: t.string({
      description:
        'Makes the request safe to repeat: within 24 hours the same key and input get the same answer, and the request is carried out once. At most 255 characters.',
    }),
  }),
});

builder.objectType('RequestAccessPayload', {
  description: 'What has become of asking.',
  fields: (t) => ({
    accessRequest: t.expose('accessRequest', {
      type: 'AccessRequest',
      description: 'The request that was created or that was there.',
    }),
    outcome: t.expose('outcome', {
      type: RequestOutcome,
      description: 'Whether the request was created.',
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether this repeats what was answered before under the same idempotency key.',
    }),
  }),
});

builder.mutationField('requestAccess', (t) =>
  t.field({
    type: 'RequestAccessPayload',
    nullable: true,
    description:
      'Asks a company for access to its data. The company is asked by whoever runs this service, and answers in its own time; list your access requests to see the outcome. At most one request per company is live: asking again for what it covers returns it, asking for more is refused with `scope_conflict`. Null, with an error, when it is refused.',
    extensions: { isRead: true },
    args: {
      input: t.arg({ type: RequestAccessInput, required: true, description: 'What is asked.' }),
    },
    resolve: (_root, { input }, { useCases, caller, reads }) =>
      reads.write(() => useCases.requestAccess(caller, input as Input)),
  }),
);

function nullWhenGone(error: unknown): null {
  if (error instanceof AccessError && error.code === 'company_not_found') return null;
  throw error;
}
