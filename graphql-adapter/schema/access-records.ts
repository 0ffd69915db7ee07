import {
  type AccessRecordEdge,
  maxAccessRecords,
  protocols,
  recordPageSizeOf,
  resources,
} from '#core';
import { builder } from './builder.ts';
import { createConnection } from './connection.ts';
import { createEnum, Scope } from './enums.ts';

const AccessedResource = createEnum('AccessedResource', resources);
const Protocol = createEnum('Protocol', protocols);
const AccessOutcome = createEnum('AccessOutcome', [
  'allowed',
  'insufficient_scope',
  'company_not_found',
  'access_required',
  'access_pending',
  'access_revoked',
  'invalid_api_key',
]);

builder.objectType('AccessRecord', {
  fields: (t) => ({
    id: t.exposeID('id'),
    occurredAt: t.expose('occurredAt', { type: 'DateTime' }),
    requestId: t.exposeString('requestId'),
    protocol: t.expose('protocol', { type: Protocol }),
    keyId: t.exposeID('keyId'),
    companyId: t.exposeID('companyId', { nullable: true }),
    scope: t.expose('scope', { type: Scope }),
    resource: t.expose('resource', { type: AccessedResource }),
    metricKey: t.exposeString('metricKey', { nullable: true }),
    grantId: t.exposeID('grantId', { nullable: true }),
    outcome: t.expose('outcome', { type: AccessOutcome }),
    count: t.exposeInt('count'),
  }),
});

const AccessRecordConnection = createConnection('AccessRecord', {
  maxItems: maxAccessRecords,
  nodeOf: ({ record }: AccessRecordEdge) => record,
});

builder.queryField('accessRecords', (t) =>
  t.field({
    type: AccessRecordConnection,
    nullable: true,
    cost: { reads: 'longPage', itemsBelow: recordPageSizeOf },
    args: {
      companyId: t.arg.id(),
      since: t.arg({ type: 'DateTime' }),
      first: t.arg.int(),
      after: t.arg.string(),
    },
    resolve: (_root, input, { useCases, caller }) => useCases.listAccessRecords(caller, input),
  }),
);
