import type { AmendAccessRequestInput as Amendment, RequestAccessInput as Input } from '#core';
import { AccessTermsInput } from './access-terms.ts';
import { builder } from './builder.ts';
import { GrantableScope } from './enums.ts';

const RequestOutcome = builder.enumType('RequestOutcome', {
  description: 'The result of requesting access.',
  values: {
    CREATED: {
      value: 'created',
      description: 'The request was created.',
    },
    EXISTING: {
      value: 'existing',
      description:
        'A live request already covers the scopes and the terms. It is returned unchanged.',
    },
  } as const,
});

const RequestAccessInput = builder.inputType('RequestAccessInput', {
  description: 'A request for access.',
  fields: (t) => ({
    companyId: t.id({ required: true, description: 'ID of a company in your portfolio.' }),
    scopes: t.field({
      type: [GrantableScope],
      required: true,
      description: 'At least one. Duplicates are removed.',
    }),
    purpose: t.string({
      description: 'The reason for the request, which the company reads. At most 1,000 characters.',
    }),
    terms: t.field({ type: AccessTermsInput, description: 'The terms. Default: no limits.' }),
    idempotencyKey: t.string({
      description:
        'Makes the call safe to repeat: within 24 hours, calls with the same key and input are carried out once and return the same result. At most 255 characters.',
    }),
  }),
});

builder.objectType('RequestAccessPayload', {
  description: 'The result of requesting access.',
  fields: (t) => ({
    accessRequest: t.expose('accessRequest', {
      type: 'AccessRequest',
      description: 'The created or existing request.',
    }),
    outcome: t.expose('outcome', {
      type: RequestOutcome,
      description: 'Whether the request was created.',
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'True if the call was already carried out under the same idempotency key.',
    }),
  }),
});

builder.mutationField('requestAccess', (t) =>
  t.field({
    type: 'RequestAccessPayload',
    nullable: true,
    description:
      'Requests access to a company’s data. The company is notified and decides in its own time; your access requests show the decision. At most one request per company is live. If the live request covers the scopes and the terms of a call, the call returns the live request. A call for more is refused with `scope_conflict`: amend the live request instead. Null with an error if the call is refused.',
    cost: { reads: 'mutation' },
    args: {
      input: t.arg({ type: RequestAccessInput, required: true, description: 'The input.' }),
    },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.requestAccess(caller, input as Input),
  }),
);

for (const [payload, description] of [
  ['AmendAccessRequestPayload', 'The result of adding scopes or terms.'],
  ['WithdrawAccessRequestPayload', 'The result of withdrawing a request.'],
] as const) {
  builder.objectType(payload, {
    description,
    fields: (t) => ({
      accessRequest: t.field({
        type: 'AccessRequest',
        description: 'The request after the change.',
        resolve: (accessRequest) => accessRequest,
      }),
    }),
  });
}

const AmendAccessRequestInput = builder.inputType('AmendAccessRequestInput', {
  description: 'Additional scopes or terms for a live request: at least one of them.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'ID of a live access request.' }),
    scopes: t.field({
      type: [GrantableScope],
      description: 'The additional scopes: at least one.',
    }),
    purpose: t.string({
      description:
        'The reason for the addition, which the company reads. At most 1,000 characters.',
    }),
    terms: t.field({
      type: AccessTermsInput,
      description:
        'The wider terms. Members that you leave out stay as they are. Null lifts a limit.',
    }),
  }),
});

builder.mutationField('amendAccessRequest', (t) =>
  t.field({
    type: 'AmendAccessRequestPayload',
    nullable: true,
    description:
      'Adds scopes or wider terms to a live access request. A pending request then includes them. A grant stays in force, and they wait in `pendingScopes` and `pendingTerms` for the company’s decision. A call that asks for nothing new changes nothing. Null with an error if the call is refused: `illegal_transition` if the request has ended.',
    cost: { reads: 'mutation' },
    args: {
      input: t.arg({
        type: AmendAccessRequestInput,
        required: true,
        description: 'The input.',
      }),
    },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.amendAccessRequest(caller, input as Amendment),
  }),
);

const WithdrawAccessRequestInput = builder.inputType('WithdrawAccessRequestInput', {
  description: 'The request to withdraw.',
  fields: (t) => ({ id: t.id({ required: true, description: 'ID of the request.' }) }),
});

builder.mutationField('withdrawAccessRequest', (t) =>
  t.field({
    type: 'WithdrawAccessRequestPayload',
    nullable: true,
    description:
      'Withdraws a pending access request or gives up a grant. Its status becomes EXPIRED. A repeated call changes nothing. Null with an error if the call is refused: `illegal_transition` if the request was declined or revoked.',
    cost: { reads: 'mutation' },
    args: {
      input: t.arg({
        type: WithdrawAccessRequestInput,
        required: true,
        description: 'The input.',
      }),
    },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.withdrawAccessRequest(caller, input),
  }),
);
