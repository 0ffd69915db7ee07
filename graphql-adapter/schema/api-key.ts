import { apiKeyResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { Environment, Scope } from './enums.ts';

const apiKey = describe(apiKeyResource);

builder.objectType('ApiKey', {
  description: 'The calling API key, without its secret.',
  fields: (t) => ({
    id: t.id({ description: apiKey.id, resolve: ({ key }) => key.id }),
    name: t.string({
      nullable: true,
      description: apiKey.name,
      resolve: ({ key }) => key.name,
    }),
    hint: t.string({
      description: apiKey.hint,
      resolve: ({ key }) => key.hint,
    }),
    environment: t.field({
      type: Environment,
      description: apiKey.environment,
      resolve: ({ key }) => key.environment,
    }),
    scopes: t.field({
      type: [Scope],
      description: apiKey.scopes,
      resolve: ({ key }) => key.scopes,
    }),
    rateLimit: t.exposeInt('rateLimit', { description: apiKey.rateLimit }),
    createdAt: t.field({
      type: 'DateTime',
      description: apiKey.createdAt,
      resolve: ({ key }) => key.createdAt,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: apiKey.expiresAt,
      resolve: ({ key }) => key.expiresAt,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: apiKey.lastUsedAt,
      resolve: ({ key }) => key.lastUsedAt,
    }),
    investor: t.field({
      type: 'Investor',
      description: apiKey.investor,
      resolve: ({ investor }) => investor,
    }),
  }),
});

builder.queryField('apiKey', (t) =>
  t.field({
    type: 'ApiKey',
    nullable: true,
    description: 'The calling API key: its scopes, limit and end.',
    cost: { reads: 'lookUp' },
    resolve: (_root, _args, { useCases, caller }) => useCases.readCallingKey(caller),
  }),
);
