import {
  type AccessEventType,
  type Actor,
  maxHistory,
  type SignInWay as SignInWayName,
} from '#core';
import { builder } from './builder.ts';
import { Scope, valuesOf } from './enums.ts';

export const AccessRequestEventType = builder.enumType('AccessRequestEventType', {
  description: 'What happened to an access request.',
  values: valuesOf<AccessEventType>({
    'access_request.created': 'The investor has asked.',
    'access_request.approved': 'The company has approved all or a part, or an addition.',
    'access_request.declined': 'The company has said no.',
    'access_request.revoked': 'The company has taken the grant back.',
    'access_request.expired': 'The company did not answer in time, or the grant has ended.',
    'access_request.extended': 'The company has moved the end of the grant.',
    'access_request.amended': 'The investor has asked for more.',
    'access_request.amendment_declined':
      'The company has said no to an addition; the grant goes on.',
    'access_request.withdrawn': 'The investor has taken the request back, or given the grant up.',
    'access_request.expiring': 'The grant is about to end.',
  }),
});

const ActorType = builder.enumType('ActorType', {
  description: 'On which side somebody acts.',
  values: valuesOf<Actor['type']>({
    investor: 'The investor, with one of its API keys.',
    company_key: 'The company, with one of its keys.',
    contact: 'The company, by one of its contacts.',
    operator: 'Whoever runs the service.',
    clock: 'Nobody: a time has come.',
    sandbox: 'A company of the sandbox.',
  }),
});

const SignInWay = builder.enumType('SignInWay', {
  description: 'How somebody signs in to the pages of this service.',
  values: valuesOf<SignInWayName>({
    link: 'By a link that was mailed or handed out.',
    oidc: 'At the OpenID provider of the operator.',
  }),
});

builder.objectType('Actor', {
  description: 'Who made a change.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorType, description: 'Which side it was.' }),
    id: t.exposeID('id', {
      nullable: true,
      description: 'Id of the investor, the company key or the contact; null for the others.',
    }),
    signedInBy: t.field({
      type: SignInWay,
      nullable: true,
      description: 'How a contact had signed in; null for the others.',
      resolve: (actor) => (actor.type === 'contact' ? actor.signedInBy : null),
    }),
  }),
});

builder.objectType('AccessRequestEvent', {
  description: 'One change of an access request.',
  fields: (t) => ({
    type: t.expose('type', { type: AccessRequestEventType, description: 'What happened.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
    actor: t.expose('actor', { type: 'Actor', description: 'Who did it.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why, in the words of whoever did it.',
    }),
    approvedScopes: t.field({
      type: [Scope],
      description: 'What was approved right after it.',
      resolve: ({ accessRequest }) => accessRequest.approvedScopes,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the grant ended right after it; null while there was none.',
      resolve: ({ accessRequest }) => accessRequest.expiresAt,
    }),
  }),
});

builder.objectField('AccessRequest', 'history', (t) =>
  t.field({
    type: ['AccessRequestEvent'],
    description: `Everything that happened to the request, oldest first; of more than ${maxHistory} changes the newest.`,
    cost: { reads: 'shortList', items: 5 },
    resolve: ({ id }, _args, { useCases, caller }) =>
      useCases.readAccessRequestHistory(caller, { id }),
  }),
);
