import { type AccessEvent, accessEventTypes, actorTypes } from '#core';
import { builder, type FieldBuilder } from './builder.ts';
import { createEnum, Scope } from './enums.ts';

const AccessRequestEventType = createEnum('AccessRequestEventType', accessEventTypes);
const ActorType = createEnum('ActorType', actorTypes);

builder.objectType('Actor', {
  fields: (t) => ({
    type: t.expose('type', { type: ActorType }),
    id: t.exposeID('id', { nullable: true }),
  }),
});

/** What an event of the history has in common with one that is watched. */
const eventFields = <Event extends AccessEvent>(t: FieldBuilder<Event>) => ({
  type: t.field({ type: AccessRequestEventType, resolve: ({ type }) => type }),
  createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  actor: t.field({ type: 'Actor', resolve: ({ actor }) => actor }),
  reason: t.string({ nullable: true, resolve: ({ reason }) => reason }),
});

builder.objectType('AccessRequestEvent', {
  fields: (t) => ({
    ...eventFields(t),
    approvedScopes: t.field({
      type: [Scope],
      resolve: ({ accessRequest }) => accessRequest.approvedScopes,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ accessRequest }) => accessRequest.expiresAt,
    }),
  }),
});

builder.objectField('AccessRequest', 'history', (t) =>
  t.field({
    type: ['AccessRequestEvent'],
    cost: { reads: 'shortList', items: 5 },
    resolve: ({ id }, _args, { useCases, caller }) =>
      useCases.readAccessRequestHistory(caller, { id }),
  }),
);

builder.objectType('AccessRequestChange', {
  fields: (t) => ({
    id: t.exposeID('id'),
    ...eventFields(t),
    accessRequest: t.expose('accessRequest', { type: 'AccessRequest' }),
  }),
});

builder.subscriptionField('accessRequestChanged', (t) =>
  t.field({
    type: 'AccessRequestChange',
    args: { after: t.arg.id() },
    async subscribe(_root, args, { useCases, caller, startEvents }) {
      const { after, events } = await useCases.watchInvestorEvents(caller, args);
      startEvents(after);
      return events;
    },
    resolve: (event) => event,
  }),
);
