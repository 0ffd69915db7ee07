import type { AmendAccessRequestInput as Amendment, RequestAccessInput as Input } from '#core';
import { builder } from './builder.ts';
import { createEnum, Scope } from './enums.ts';

const RequestOutcome = createEnum('RequestOutcome', ['created', 'existing']);

const RequestAccessInput = builder.inputType('RequestAccessInput', {
  fields: (t) => ({
    companyId: t.id({ required: true }),
    scopes: t.field({ type: [Scope], required: true }),
    purpose: t.string(),
    idempotencyKey: t.string(),
  }),
});

builder.objectType('RequestAccessPayload', {
  fields: (t) => ({
    accessRequest: t.expose('accessRequest', { type: 'AccessRequest' }),
    outcome: t.expose('outcome', { type: RequestOutcome }),
    replayed: t.exposeBoolean('replayed'),
  }),
});

builder.mutationField('requestAccess', (t) =>
  t.field({
    type: 'RequestAccessPayload',
    nullable: true,
    cost: { reads: 'mutation' },
    args: { input: t.arg({ type: RequestAccessInput, required: true }) },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.requestAccess(caller, input as Input),
  }),
);

for (const payload of ['AmendAccessRequestPayload', 'WithdrawAccessRequestPayload'] as const) {
  builder.objectType(payload, {
    fields: (t) => ({
      accessRequest: t.field({ type: 'AccessRequest', resolve: (accessRequest) => accessRequest }),
    }),
  });
}

const AmendAccessRequestInput = builder.inputType('AmendAccessRequestInput', {
  fields: (t) => ({
    id: t.id({ required: true }),
    scopes: t.field({ type: [Scope], required: true }),
    purpose: t.string(),
  }),
});

builder.mutationField('amendAccessRequest', (t) =>
  t.field({
    type: 'AmendAccessRequestPayload',
    nullable: true,
    cost: { reads: 'mutation' },
    args: { input: t.arg({ type: AmendAccessRequestInput, required: true }) },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.amendAccessRequest(caller, input as Amendment),
  }),
);

const WithdrawAccessRequestInput = builder.inputType('WithdrawAccessRequestInput', {
  fields: (t) => ({ id: t.id({ required: true }) }),
});

builder.mutationField('withdrawAccessRequest', (t) =>
  t.field({
    type: 'WithdrawAccessRequestPayload',
    nullable: true,
    cost: { reads: 'mutation' },
    args: { input: t.arg({ type: WithdrawAccessRequestInput, required: true }) },
    resolve: (_root, { input }, { useCases, caller }) =>
      useCases.withdrawAccessRequest(caller, input),
  }),
);
