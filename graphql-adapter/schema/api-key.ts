import { builder } from './builder.ts';
import { Environment, Scope } from './enums.ts';

builder.objectType('ApiKey', {
  description: 'The calling API key, without its secret.',
  fields: (t) => ({
    id: t.id({ description: 'ID of the key, of the form `key_…`.', resolve: ({ key }) => key.id }),
    name: t.string({
      nullable: true,
      description: 'The name given by those who manage the key. Null without a name.',
      resolve: ({ key }) => key.name,
    }),
    hint: t.string({
      description: 'The prefix and the last four characters of the key.',
      resolve: ({ key }) => key.hint,
    }),
    environment: t.field({
      type: Environment,
      description: 'The environment of the key.',
      resolve: ({ key }) => key.environment,
    }),
    scopes: t.field({
      type: [Scope],
      description: 'The scopes of the key.',
      resolve: ({ key }) => key.scopes,
    }),
    rateLimit: t.exposeInt('rateLimit', { description: 'Points per window.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of creation.',
      resolve: ({ key }) => key.createdAt,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The key is invalid from this time on. Null if it doesn’t expire.',
      resolve: ({ key }) => key.expiresAt,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last use, accurate to ten minutes. Null if the key was never used.',
      resolve: ({ key }) => key.lastUsedAt,
    }),
    investor: t.field({
      type: 'Investor',
      description: 'The organisation of the key.',
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
