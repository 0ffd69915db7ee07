import { AccessRequestEventType } from './access-request-history.ts';
import { AccessRequestState } from './access-requests.ts';
import { builder } from './builder.ts';
import { afterDescription, firstResultDescription, subscribe } from './subscribe.ts';

builder.objectType('AccessRequestChange', {
  description: 'Something that has happened to one of your access requests.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Id of the event, of the form `evt_…`: what to go on after when you come again.',
    }),
    type: t.expose('type', { type: AccessRequestEventType, description: 'What happened.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
    accessRequest: t.expose('accessRequest', {
      type: AccessRequestState,
      description: 'The request as it was right after the change.',
    }),
    actor: t.expose('actor', { type: 'Actor', description: 'Who did it.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why, in the words of whoever did it.',
    }),
  }),
});

builder.subscriptionField('accessRequestChanged', (t) =>
  t.field({
    type: 'AccessRequestChange',
    nullable: true,
    description: `What happens to the access requests of your organisation, as it happens: each event once, in one order. It costs one point, however much happens, and reads nothing: what leads to a company or a history is asked for with a query. ${firstResultDescription}`,
    args: {
      after: t.arg.id({ description: afterDescription }),
    },
    subscribe: (_root, args, context) =>
      subscribe(context.useCases.watchAccessRequests(context.caller, args), context),
    resolve: (event) => event,
  }),
);
