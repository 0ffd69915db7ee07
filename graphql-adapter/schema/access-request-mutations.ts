import type { AmendAccessRequestInput as Amendment, RequestAccessInput as Input } from '#core';
import { builder } from './builder.ts';
import { GrantableScope } from './enums.ts';

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
      type: [GrantableScope],
      required: true,
      description: 'At least one. Duplicates are removed.',
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
      'Asks a company for access to its data. The company is told, and answers in its own time; your access requests show the outcome. At most one request per company is live: asking again for what it covers returns it, asking for more, or for what the company left out, is refused with `scope_conflict`: amend the live one. Null, with an error, when it is refused.',
    cost: { reads: 'mutation' },
    args: {
      input: t.arg({ type: RequestAccessInput, required: true, description: 'What is asked.' }),
    },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.requestAccess(caller, input as Input),
  }),
);

for (const [payload, description] of [
  ['AmendAccessRequestPayload', 'What has become of asking for more.'],
  ['WithdrawAccessRequestPayload', 'What has become of taking a request back.'],
] as const) {
  builder.objectType(payload, {
    description,
    fields: (t) => ({
      accessRequest: t.field({
        type: 'AccessRequest',
        description: 'The request as it is now.',
        resolve: (accessRequest) => accessRequest,
      }),
    }),
  });
}

const AmendAccessRequestInput = builder.inputType('AmendAccessRequestInput', {
  description: 'What a company is asked for in addition.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of a live access request.' }),
    scopes: t.field({
      type: [GrantableScope],
      required: true,
      description: 'The additional scopes: at least one.',
    }),
    purpose: t.string({
      description: 'Explanation that goes with the addition; at most 1,000 characters.',
    }),
  }),
});

builder.mutationField('amendAccessRequest', (t) =>
  t.field({
    type: 'AmendAccessRequestPayload',
    nullable: true,
    description:
      'Asks for more on a live access request. A pending one grows. To a grant the scopes are added as `pendingScopes` until the company has decided on them; what is granted goes on. Without anything new the request stays as it is. Null, with an error, when it is refused: `illegal_transition` when the request is over.',
    cost: { reads: 'mutation' },
    args: {
      input: t.arg({
        type: AmendAccessRequestInput,
        required: true,
        description: 'What is asked.',
      }),
    },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.amendAccessRequest(caller, input as Amendment),
  }),
);

const WithdrawAccessRequestInput = builder.inputType('WithdrawAccessRequestInput', {
  description: 'What is taken back.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Id of the request.' }) }),
});

builder.mutationField('withdrawAccessRequest', (t) =>
  t.field({
    type: 'WithdrawAccessRequestPayload',
    nullable: true,
    description:
      'Takes a pending access request back, or gives a grant up: its status is EXPIRED from now on. To be repeated without harm. Null, with an error, when it is refused: `illegal_transition` when the request was declined or revoked.',
    cost: { reads: 'mutation' },
    args: {
      input: t.arg({
        type: WithdrawAccessRequestInput,
        required: true,
        description: 'What is asked.',
      }),
    },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.withdrawAccessRequest(caller, input),
  }),
);
