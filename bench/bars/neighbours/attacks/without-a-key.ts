import { randomBytes } from 'node:crypto';
import { type Attack, crewOf, happened } from '../attack.ts';

export const openApiDocument: Attack = {
  name: 'openapi',
  what: 'The OpenAPI document without a credential, in 64 loops.',
  crews: ({ atMost }) => [
    {
      name: 'reads',
      requests: [{ method: 'GET', path: '/v1/openapi.json' }],
      connections: 64,
      maxRequests: atMost(20_000),
    },
  ],
  judge: (outcome) => [happened('documents', crewOf(outcome, 'reads').statuses['200'] ?? 0)],
};

export const slowPages: Attack = {
  name: 'slow-pages',
  what: 'The GraphiQL page without a credential, by 200 clients that read 64 bytes a second.',
  // The page is as long as GraphiQL is.
  asksForMuch: true,
  crews: ({ atMost }) => [
    {
      name: 'clients',
      requests: [{ method: 'GET', path: '/graphql', headers: { accept: 'text/html' } }],
      connections: 200,
      maxRequests: atMost(200),
      isSlow: true,
    },
  ],
  judge: (outcome) => [happened('pages begun', crewOf(outcome, 'clients').statuses['200'] ?? 0)],
};

export const unknownKeys: Attack = {
  name: 'unknown-keys',
  what: 'Reads with keys that nobody has, another one each time, in 64 loops.',
  crews: ({ atMost }) => [
    {
      name: 'reads',
      requests: Array.from({ length: 5_000 }, () => ({
        method: 'GET',
        path: '/v1/companies',
        key: `svc_sk_live_${randomBytes(16).toString('hex')}`,
      })),
      connections: 64,
      maxRequests: atMost(100_000),
    },
  ],
  judge: (outcome) => [happened('refusals', crewOf(outcome, 'reads').statuses['401'] ?? 0)],
};

const longBody = JSON.stringify({ query: `{${'a'.repeat(60_000)}}` });

export const anonymousBodies: Attack = {
  name: 'anonymous-bodies',
  what: 'GraphQL bodies of 60 KB without a credential, in 64 loops.',
  crews: ({ atMost }) => [
    {
      name: 'calls',
      requests: [{ method: 'POST', path: '/graphql', body: longBody }],
      connections: 64,
      maxRequests: atMost(100_000),
    },
  ],
  judge: (outcome) => [happened('refusals', crewOf(outcome, 'calls').statuses['401'] ?? 0)],
};
