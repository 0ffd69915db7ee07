import {
  type AccessRecordEdge,
  type AccessRecord as AccessRecordOfCore,
  maxAccessRecords,
  type Protocol as ProtocolName,
  type Resource as ResourceName,
  recordPageSizeOf,
} from '#core';
import { accessRecordResource } from '#http';
import { builder } from './builder.ts';
import { createConnection } from './connection.ts';
import { describe } from './describe.ts';
import { Scope, valuesOf } from './enums.ts';

const accessRecord = describe(accessRecordResource);

const AccessedResource = builder.enumType('AccessedResource', {
  description: 'The kind of data that was read.',
  values: valuesOf<ResourceName>({
    metrics: 'The latest value of every metric.',
    metric: 'The latest value of one metric.',
    metric_history: 'The history of one or several metrics. For several, the metric key is null.',
    sources: 'The connected data sources.',
    accounts: 'The financial accounts.',
  }),
});

const Protocol = builder.enumType('Protocol', {
  description: 'The protocol of a call.',
  values: valuesOf<ProtocolName>({
    rest: 'REST, at `/v1`.',
    graphql: 'GraphQL, at `/graphql`.',
    trpc: 'tRPC, at `/trpc`.',
    mcp: 'MCP, for agents, at `/mcp`.',
    desk: 'A page of the desk, in a browser.',
  }),
});

const AccessOutcome = builder.enumType('AccessOutcome', {
  description: 'The result of a read.',
  values: valuesOf<AccessRecordOfCore['outcome']>({
    allowed: 'The data was read.',
    insufficient_scope: 'The API key lacked the scope.',
    company_not_found: 'The portfolio had no such company.',
    access_required: 'The company had not granted access.',
    access_pending: 'The company had not decided yet.',
    access_revoked: 'The company had revoked the grant.',
    access_paused: 'The company had paused the grant.',
    invalid_api_key: 'The API key ended during the request.',
  }),
});

builder.objectType('AccessRecord', {
  description:
    'The record of one read of company data, or of several identical refusals. The service stores the record before it sends the data. Records are never changed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: accessRecord.id }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: accessRecord.occurredAt }),
    requestId: t.exposeString('requestId', { description: accessRecord.requestId }),
    protocol: t.expose('protocol', { type: Protocol, description: accessRecord.protocol }),
    keyId: t.exposeID('keyId', {
      nullable: true,
      description: 'ID of the API key. Null if a person read the data at the desk.',
    }),
    contactId: t.exposeID('contactId', {
      nullable: true,
      description: 'ID of the person who read the data at the desk. Null if a key read the data.',
    }),
    companyId: t.exposeID('companyId', {
      nullable: true,
      description: 'The company of the read. Null if the requested ID is malformed.',
    }),
    scope: t.expose('scope', { type: Scope, description: accessRecord.scope }),
    resource: t.expose('resource', { type: AccessedResource, description: accessRecord.resource }),
    metricKey: t.exposeString('metricKey', { nullable: true, description: accessRecord.metricKey }),
    grantId: t.exposeID('grantId', { nullable: true, description: accessRecord.grantId }),
    outcome: t.expose('outcome', { type: AccessOutcome, description: accessRecord.outcome }),
    count: t.exposeInt('count', {
      description:
        'The number of refusals. Identical refusals of one request share a record. 1 for an allowed read.',
    }),
  }),
});

const AccessRecordConnection = createConnection('AccessRecord', {
  singular: 'access record',
  plural: 'access records',
  maxItems: maxAccessRecords,
  nodeOf: ({ record }: AccessRecordEdge) => record,
});

builder.queryField('accessRecords', (t) =>
  t.field({
    type: AccessRecordConnection,
    nullable: true,
    description:
      'A page of the reads by your organisation’s API keys and people, including refused reads, newest first. Leaves out reads that need a scope which this key lacks.',
    cost: { reads: 'longPage', itemsBelow: recordPageSizeOf },
    args: {
      companyId: t.arg.id({ description: 'Only reads of this company.' }),
      since: t.arg({ type: 'DateTime', description: 'The start of the period, included.' }),
      until: t.arg({ type: 'DateTime', description: 'The end of the period, included.' }),
      first: t.arg.int({
        description: `The page size. Default: 100. At most ${maxAccessRecords.toLocaleString('en')}.`,
      }),
      after: t.arg.string({ description: 'The `endCursor` of the previous page.' }),
    },
    resolve: (_root, input, { useCases, caller }) => useCases.listAccessRecords(caller, input),
  }),
);
