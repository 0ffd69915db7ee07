import { type Attack, answered, happened } from '../attack.ts';
import { createSecret } from '../parties.ts';
import { get, graphql, times } from '../requests.ts';

export const openApiDocument: Attack = {
  name: 'openapi',
  what: 'The OpenAPI document without a credential, in 64 loops.',
  crews: ({ atMost }) => [
    {
      name: 'reads',
      requests: [get('/v1/openapi.json')],
      connections: 64,
      maxRequests: atMost(20_000),
    },
  ],
  judge: (outcome) => [happened('documents', answered(outcome, 'reads', 200))],
};

export const slowPages: Attack = {
  name: 'slow-pages',
  what: 'The GraphiQL page without a credential, by 200 clients that read 64 bytes a second.',
  // The page is longer than a megabyte, because it contains GraphiQL.
  asksForMuch: true,
  crews: ({ atMost }) => [
    {
      name: 'clients',
      requests: [{ ...get('/graphql'), headers: { accept: 'text/html' } }],
      connections: 200,
      maxRequests: atMost(200),
      isSlow: true,
    },
  ],
  judge: (outcome) => [happened('pages begun', answered(outcome, 'clients', 200))],
};

export const unknownKeys: Attack = {
  name: 'unknown-keys',
  what: 'Reads with unknown keys, a new one each time, in 64 loops.',
  crews: ({ atMost }) => [
    {
      name: 'reads',
      requests: times(5_000, () => get('/v1/companies', createSecret('sk'))),
      connections: 64,
      maxRequests: atMost(100_000),
    },
  ],
  judge: (outcome) => [happened('refusals', answered(outcome, 'reads', 401))],
};

export const anonymousBodies: Attack = {
  name: 'anonymous-bodies',
  what: 'GraphQL bodies of 60 KB without a credential, in 64 loops.',
  crews: ({ atMost }) => [
    {
      name: 'calls',
      requests: [graphql(`{${'a'.repeat(60_000)}}`)],
      connections: 64,
      maxRequests: atMost(100_000),
    },
  ],
  judge: (outcome) => [happened('refusals', answered(outcome, 'calls', 401))],
};
