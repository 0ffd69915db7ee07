import { accessRequestChangeResource } from '#http';
import { AccessRequestEventType } from './access-request-history.ts';
import { AccessRequestState } from './access-requests.ts';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { afterDescription, firstResultDescription, subscribe } from './subscribe.ts';

const change = describe(accessRequestChangeResource);

builder.objectType('AccessRequestChange', {
  description: 'A change of one of your access requests.',
  fields: (t) => ({
    id: t.exposeID('id', { description: change.id }),
    type: t.expose('type', { type: AccessRequestEventType, description: change.type }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: change.createdAt }),
    accessRequest: t.expose('accessRequest', {
      type: AccessRequestState,
      description: change.accessRequest,
    }),
    actor: t.expose('actor', { type: 'Actor', description: change.actor }),
    reason: t.exposeString('reason', { nullable: true, description: change.reason }),
  }),
});

builder.subscriptionField('accessRequestChanged', (t) =>
  t.field({
    type: 'AccessRequestChange',
    nullable: true,
    description: `Streams the changes of your organisation’s access requests in order, each at least once. Costs one point in total. Read companies and histories with a query. ${firstResultDescription}`,
    args: {
      after: t.arg.id({ description: afterDescription }),
    },
    subscribe: (_root, args, context) =>
      subscribe(context.useCases.watchAccessRequests(context.caller, args), context),
    resolve: (event) => event,
  }),
);
