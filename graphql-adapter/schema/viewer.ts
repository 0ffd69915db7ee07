import { builder } from './builder.ts';
import { Environment, Scope } from './enums.ts';

builder.objectType('Investor', {
  description: 'The organisation that the API key belongs to.',
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the organisation, of the form `inv_…`.' }),
    name: t.exposeString('name', { description: 'Name of the organisation.' }),
  }),
});

builder.objectType('RateLimit', {
  description:
    'The budget of the API key, which all its requests share. An operation costs 1 point for each mutation, each page of access requests and each read of metrics, a metric, a history or histories, sources or accounts of a company, also one that is refused; and at least 1.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'Points in a window.' }),
    remaining: t.exposeInt('remaining', {
      description: 'Points left in the window when this request was admitted.',
    }),
    resetSeconds: t.exposeInt('resetSeconds', { description: 'Seconds until the window resets.' }),
  }),
});

builder.objectType('Viewer', {
  description: 'Who asks: you, as your API key tells.',
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
      description: 'The world that the key sees.',
      resolve: (_viewer, _args, { caller }) => caller.environment,
    }),
    scopes: t.field({
      type: [Scope],
      description: 'What the key may do.',
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
  t.field({ type: 'Viewer', description: 'Who asks.', resolve: () => ({}) }),
);
