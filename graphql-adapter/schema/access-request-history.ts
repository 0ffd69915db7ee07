import {
  type AccessEventType,
  type Actor,
  maxHistory,
  type SignInWay as SignInWayName,
} from '#core';
import { accessEventResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { Scope, valuesOf } from './enums.ts';

const change = describe(accessEventResource);
const actor = describe(accessEventResource.shape.actor);

export const AccessRequestEventType = builder.enumType('AccessRequestEventType', {
  description: 'The type of a change of an access request.',
  values: valuesOf<AccessEventType>({
    'access_request.created': 'The investor requested access.',
    'access_request.approved': 'The company approved the request, a part of it, or an addition.',
    'access_request.declined': 'The company declined.',
    'access_request.revoked': 'The company revoked the grant.',
    'access_request.expired': 'The company didn’t decide in time, or the grant ended.',
    'access_request.extended': 'The company changed the end of the grant.',
    'access_request.amended': 'The investor requested additional scopes or wider terms.',
    'access_request.amendment_declined':
      'The company declined an addition. The grant stays in force.',
    'access_request.withdrawn': 'The investor withdrew the request or gave up the grant.',
    'access_request.expiring': 'The grant ends soon.',
    'access_request.narrowed': 'The company took scopes out of the grant or narrowed its terms.',
    'access_request.paused': 'The company paused the grant.',
    'access_request.resumed': 'The company resumed the grant.',
    'access_request.first_read': 'A grant for one use was read for the first time.',
    'access_request.approval_added': 'The first of two people at the company approved the request.',
    'access_request.review_due': 'The company was asked to review the grant.',
  }),
});

const ActorType = builder.enumType('ActorType', {
  description: 'The kind of an actor.',
  values: valuesOf<Actor['type']>({
    investor: 'An API key of the investor.',
    company_key: 'A key of the company.',
    contact: 'A contact of the company or the investor.',
    operator: 'The operator of the service.',
    clock: 'The clock: a deadline has passed.',
    sandbox: 'A sandbox company.',
  }),
});

const SignInWay = builder.enumType('SignInWay', {
  description: 'The way a person signs in to the desk.',
  values: valuesOf<SignInWayName>({
    link: 'A mailed or handed-out link.',
    oidc: 'At the OpenID provider of the operator.',
  }),
});

builder.objectType('Actor', {
  description: 'The actor of a change.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorType, description: actor.type }),
    id: t.exposeID('id', { nullable: true, description: actor.id }),
    signedInBy: t.field({
      type: SignInWay,
      nullable: true,
      description: actor.signedInBy,
      resolve: (actor) => (actor.type === 'contact' ? actor.signedInBy : null),
    }),
  }),
});

builder.objectType('AccessRequestEvent', {
  description: 'One change of an access request.',
  fields: (t) => ({
    type: t.expose('type', { type: AccessRequestEventType, description: change.type }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: change.createdAt }),
    actor: t.expose('actor', { type: 'Actor', description: change.actor }),
    reason: t.exposeString('reason', { nullable: true, description: change.reason }),
    approvedScopes: t.field({
      type: [Scope],
      description: change.approvedScopes,
      resolve: ({ accessRequest }) => accessRequest.approvedScopes,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: change.expiresAt,
      resolve: ({ accessRequest }) => accessRequest.expiresAt,
    }),
  }),
});

builder.objectField('AccessRequest', 'history', (t) =>
  t.field({
    type: ['AccessRequestEvent'],
    description: `The newest ${maxHistory} changes of the request, oldest first.`,
    cost: { reads: 'shortList', items: 5 },
    resolve: ({ id }, _args, { useCases, caller }) =>
      useCases.readAccessRequestHistory(caller, { id }),
  }),
);
