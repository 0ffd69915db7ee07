import { investorResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { Environment, Scope } from './enums.ts';

const investor = describe(investorResource);

builder.objectType('Investor', {
  description: 'The organisation that the API key belongs to.',
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id', { description: investor.id }),
    name: t.exposeString('name', { description: investor.name }),
  }),
});

builder.objectType('RateLimit', {
  description:
    'The budget of the API key, which all its requests share. An operation costs 1 point per mutation, per page of access requests, and per read of company data (metrics, a metric, histories, sources or accounts), including refused reads. It costs at least 1 point.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'Points per window.' }),
    remaining: t.exposeInt('remaining', {
      description: 'Points left in the window when this request was admitted.',
    }),
    resetSeconds: t.exposeInt('resetSeconds', { description: 'Seconds until the window resets.' }),
  }),
});

builder.objectType('Viewer', {
  description: 'The caller, identified by the API key.',
  fields: (t) => ({
    investor: t.field({
      type: 'Investor',
      nullable: true,
      description: 'Your organisation.',
      cost: { reads: 'lookUp' },
      resolve: (_viewer, _args, { useCases, caller }) => useCases.readInvestor(caller),
    }),
    environment: t.field({
      type: Environment,
      description: 'The environment of the key.',
      resolve: (_viewer, _args, { caller }) => caller.environment,
    }),
    scopes: t.field({
      type: [Scope],
      description: 'The scopes of the key.',
      resolve: (_viewer, _args, { caller }) => caller.scopes,
    }),
    rateLimit: t.field({
      type: 'RateLimit',
      description: 'The budget of the key when this request was admitted.',
      resolve: (_viewer, _args, { rateLimit }) => rateLimit,
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: 'Viewer', description: 'The caller.', resolve: () => ({}) }),
);
