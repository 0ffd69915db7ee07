import {
  maxAccessRecords,
  type Protocol as ProtocolName,
  type Resource as ResourceName,
} from '#core';
import { builder } from './builder.ts';
import { Scope, valuesOf } from './enums.ts';

const usualLimit = 100;

const AccessedResource = builder.enumType('AccessedResource', {
  description: 'What was read of a company.',
  values: valuesOf<ResourceName>({
    metrics: 'The latest value of every metric.',
    metric: 'The latest value of one metric.',
    metric_history: 'The history of one metric.',
    sources: 'The connected data sources.',
    accounts: 'The financial accounts.',
  }),
});

const Protocol = builder.enumType('Protocol', {
  description: 'By which way something was asked for.',
  values: valuesOf<ProtocolName>({
    rest: 'REST, at `/v1`.',
    graphql: 'GraphQL, at `/graphql`.',
    trpc: 'tRPC, at `/trpc`.',
    mcp: 'MCP, for agents, at `/mcp`.',
  }),
});

builder.objectType('AccessRecord', {
  description:
    'The proof of one read of company data, committed before the data left, or of reads that were refused, written shortly after the answer. Never changed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the record, of the form `rec_…`.' }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When it was decided.' }),
    requestId: t.exposeString('requestId', {
      description: 'The request that asked, as in the header Svc-Request-Id.',
    }),
    protocol: t.expose('protocol', { type: Protocol, description: 'By which way it asked.' }),
    keyId: t.exposeID('keyId', { description: 'Id of the API key that asked.' }),
    companyId: t.exposeID('companyId', {
      nullable: true,
      description: 'The company that was asked for; null when it cannot be the id of any.',
    }),
    scope: t.expose('scope', { type: Scope, description: 'The scope that it needed.' }),
    resource: t.expose('resource', { type: AccessedResource, description: 'What was asked for.' }),
    metricKey: t.exposeString('metricKey', {
      nullable: true,
      description: 'Key of the one metric that was asked for.',
    }),
    grantId: t.exposeID('grantId', {
      nullable: true,
      description: 'The access request that allowed it; null when it was refused.',
    }),
    outcome: t.exposeString('outcome', {
      description: '`allowed`, or the code of the refusal.',
    }),
    count: t.exposeInt('count', {
      description:
        'How many refusals it stands for: those of one request that are alike share a record. 1 for an allowed read.',
    }),
  }),
});

const countRecords = ({ limit }: { readonly limit?: number | null }) =>
  Math.max(0, Math.min(limit ?? usualLimit, maxAccessRecords));

builder.queryField('accessRecords', (t) =>
  t.field({
    type: ['AccessRecord'],
    nullable: true,
    description:
      'What the API keys of your organisation read of companies or were refused, newest first. A key sees only what needed a scope that it has itself.',
    extensions: { items: countRecords, isRead: true },
    args: {
      companyId: t.arg.id({ description: 'Only about this company.' }),
      since: t.arg({ type: 'DateTime', description: 'Only from this instant on, included.' }),
      limit: t.arg.int({
        defaultValue: usualLimit,
        description: 'At most so many, the newest; at most 1,000.',
      }),
    },
    resolve(_root, { limit, ...filter }, { useCases, caller, reads }, info) {
      const input = { ...filter, limit: limit ?? usualLimit };
      return reads.list(info, () => useCases.listAccessRecords(caller, input));
    },
  }),
);
