import { builder } from './builder.ts';
import { Environment, Scope } from './enums.ts';

builder.objectType('ApiKey', {
  description: 'The API key that asks, never its secret.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the key, of the form `key_…`.', resolve: ({ key }) => key.id }),
    name: t.string({
      nullable: true,
      description: 'What those who manage it call it.',
      resolve: ({ key }) => key.name,
    }),
    hint: t.string({
      description: 'The beginning of the key and its last four characters.',
      resolve: ({ key }) => key.hint,
    }),
    environment: t.field({
      type: Environment,
      description: 'The world that it sees.',
      resolve: ({ key }) => key.environment,
    }),
    scopes: t.field({
      type: [Scope],
      description: 'What it may do.',
      resolve: ({ key }) => key.scopes,
    }),
    rateLimit: t.exposeInt('rateLimit', { description: 'Points in a window.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ key }) => key.createdAt,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'From then on it works no more; null: it has no end.',
      resolve: ({ key }) => key.expiresAt,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Up to ten minutes too early; null while no use is written down.',
      resolve: ({ key }) => key.lastUsedAt,
    }),
    investor: t.field({
      type: 'Investor',
      description: 'The organisation that it belongs to.',
      resolve: ({ investor }) => investor,
    }),
  }),
});

builder.queryField('apiKey', (t) =>
  t.field({
    type: 'ApiKey',
    nullable: true,
    description: 'The API key that asks: what it may do, and until when.',
    cost: { reads: 'lookUp' },
    resolve: (_root, _args, { useCases, caller }) => useCases.readCallingKey(caller),
  }),
);
