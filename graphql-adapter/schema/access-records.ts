import {
  type AccessRecordEdge,
  type AccessRecord as AccessRecordOfCore,
  maxAccessRecords,
  type Protocol as ProtocolName,
  type Resource as ResourceName,
  recordPageSizeOf,
} from '#core';
import { builder } from './builder.ts';
import { createConnection } from './connection.ts';
import { Scope, valuesOf } from './enums.ts';

const AccessedResource = builder.enumType('AccessedResource', {
  description: 'What was read of a company.',
  values: valuesOf<ResourceName>({
    metrics: 'The latest value of every metric.',
    metric: 'The latest value of one metric.',
    metric_history: 'The history of one metric, or of several: then it has no metric key.',
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
    desk: 'A page of the desk, in a browser.',
  }),
});

const AccessOutcome = builder.enumType('AccessOutcome', {
  description: 'How an attempt to read has ended.',
  values: valuesOf<AccessRecordOfCore['outcome']>({
    allowed: 'The data was read.',
    insufficient_scope: 'The API key lacked the scope.',
    company_not_found: 'The portfolio had no such company.',
    access_required: 'The company had not granted it.',
    access_pending: 'The company had not answered yet.',
    access_revoked: 'The company had taken its grant back.',
    invalid_api_key: 'The API key ended while the request was under way.',
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
    keyId: t.exposeID('keyId', {
      nullable: true,
      description: 'Id of the API key that asked; null when a person did, at the desk.',
    }),
    contactId: t.exposeID('contactId', {
      nullable: true,
      description: 'Id of the person who asked at the desk; null when a key did.',
    }),
    companyId: t.exposeID('companyId', {
      nullable: true,
      description: 'The company that was asked for; null when it cannot be the id of any.',
    }),
    scope: t.expose('scope', { type: Scope, description: 'The scope that it needed.' }),
    resource: t.expose('resource', { type: AccessedResource, description: 'What was asked for.' }),
    metricKey: t.exposeString('metricKey', {
      nullable: true,
      description: 'Key of the one metric that was asked for; null when there was none or several.',
    }),
    grantId: t.exposeID('grantId', {
      nullable: true,
      description: 'The access request that allowed it; null when it was refused.',
    }),
    outcome: t.expose('outcome', {
      type: AccessOutcome,
      description: 'Whether it was allowed, or why not.',
    }),
    count: t.exposeInt('count', {
      description:
        'How many refusals it stands for: those of one request that are alike share a record. 1 for an allowed read.',
    }),
  }),
});

const AccessRecordConnection = createConnection('AccessRecord', {
  one: 'access record',
  several: 'access records',
  maxItems: maxAccessRecords,
  nodeOf: ({ record }: AccessRecordEdge) => record,
});

builder.queryField('accessRecords', (t) =>
  t.field({
    type: AccessRecordConnection,
    nullable: true,
    description:
      'What the API keys and the people of your organisation read of companies or were refused, newest first, page by page. A key sees only what needed a scope that it has itself.',
    cost: { reads: 'longPage', itemsBelow: recordPageSizeOf },
    args: {
      companyId: t.arg.id({ description: 'Only about this company.' }),
      since: t.arg({ type: 'DateTime', description: 'Only from this instant on, included.' }),
      until: t.arg({ type: 'DateTime', description: 'Only up to this instant, included.' }),
      first: t.arg.int({
        description: `At most so many: 100 unless said, at most ${maxAccessRecords.toLocaleString('en')}.`,
      }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
    },
    resolve: (_root, input, { useCases, caller }) => useCases.listAccessRecords(caller, input),
  }),
);
