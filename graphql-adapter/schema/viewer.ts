import { builder } from './builder.ts';
import { Environment, Scope } from './enums.ts';

builder.objectType('Investor', {
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
  }),
});

builder.objectType('RateLimit', {
  fields: (t) => ({
    limit: t.exposeInt('limit'),
    remaining: t.exposeInt('remaining'),
    resetSeconds: t.exposeInt('resetSeconds'),
  }),
});

builder.objectType('Viewer', {
  fields: (t) => ({
    investor: t.field({
      type: 'Investor',
      nullable: true,
      cost: { reads: 'lookUp' },
      resolve: (_viewer, _args, { useCases, caller }) => useCases.readInvestor(caller),
    }),
    environment: t.field({
      type: Environment,
      resolve: (_viewer, _args, { caller }) => caller.environment,
    }),
    scopes: t.field({ type: [Scope], resolve: (_viewer, _args, { caller }) => caller.scopes }),
    rateLimit: t.field({
      type: 'RateLimit',
      resolve: (_viewer, _args, { rateLimit }) => rateLimit,
    }),
  }),
});

builder.queryField('viewer', (t) => t.field({ type: 'Viewer', resolve: () => ({}) }));
