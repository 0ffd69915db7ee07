import { z } from 'zod';
import {
  type CompanyUseCases,
  grantableScopes,
  listReceivedRecordsInput,
  protocols,
  type ReceivedRecord,
  resources,
} from '#core';
import { investorSchema } from '../access-request.ts';
import { endpoint } from '../endpoint.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema, presentPage } from '../list.ts';
import { exampleCursor, instantParameter, instantSchema, withExample } from '../schemas.ts';
import { investor } from './access-requests.ts';
import type { CompanyEndpoint } from './context.ts';

const outcomes = [
  'allowed',
  'invalid_api_key',
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'company_not_found',
] as const satisfies readonly ReceivedRecord['outcome'][];

const recordSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the form rec_….' }),
    object: z.literal('access_record'),
    occurred_at: instantSchema,
    request_id: z.string().meta({ description: 'The Svc-Request-Id of the read.' }),
    protocol: z.enum(protocols),
    investor: investorSchema,
    key_hint: z.string().nullable().meta({
      description: 'Tells the keys of the investor apart; null when a person read at the desk.',
    }),
    actor: z
      .object({ type: z.literal('contact'), id: z.string(), email: z.string().optional() })
      .optional()
      .meta({
        description:
          'The person of the investor who read at the desk; without an address once the investor has removed the person.',
      }),
    scope: z.enum(grantableScopes),
    resource: z.enum(resources).meta({ description: 'What was asked for.' }),
    metric_key: z.string().nullable().meta({ description: 'The one metric that was asked for.' }),
    grant_id: z
      .string()
      .nullable()
      .meta({ description: 'The access request that allowed the read; null when it was refused.' }),
    outcome: z
      .enum(outcomes)
      .meta({ description: '`allowed`, or the code with which the read was refused.' }),
  })
  .meta({ id: 'AccessRecord', description: 'The proof of one read, or of alike refusals.' });

function presentRecord(record: ReceivedRecord): z.output<typeof recordSchema> {
  return {
    id: record.id,
    object: 'access_record',
    occurred_at: record.occurredAt.toISOString(),
    request_id: record.requestId,
    protocol: record.protocol,
    investor: { id: record.investorId, name: record.investorName },
    key_hint: record.keyHint,
    ...(record.contactId !== null && {
      actor: {
        type: 'contact',
        id: record.contactId,
        ...(record.contactEmail !== null && { email: record.contactEmail }),
      },
    }),
    scope: record.scope,
    resource: record.resource,
    metric_key: record.metricKey,
    grant_id: record.grantId,
    outcome: record.outcome,
  };
}

const example: z.output<typeof recordSchema> = {
  id: 'rec_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'access_record',
  occurred_at: '2026-11-04T08:15:30.250Z',
  request_id: 'req_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  protocol: 'rest',
  investor,
  key_hint: 'svc_sk_test_…4f2K',
  scope: 'metrics:read',
  resource: 'metrics',
  metric_key: null,
  grant_id: exampleIds.waiting,
  outcome: 'allowed',
};

const listUrl = '/company/v1/access-records';
const { investorId, limit, cursor } = listReceivedRecordsInput.shape;

export const accessRecordEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/access-records',
    id: 'listAccessRecords',
    tag: 'Access records',
    summary: 'See who read your data',
    description:
      'Every read of your company’s data and every one that was refused, newest first. The pages of one walk neither skip nor repeat a record, whatever is recorded meanwhile.',
    query: z.object({
      investorId: withExample(investorId, exampleIds.investor),
      since: instantParameter.optional().meta({
        description: 'The first instant, included.',
        example: '2026-01-01T00:00:00Z',
      }),
      until: instantParameter.optional().meta({
        description: 'The last instant, included.',
        example: '2036-12-31T23:59:59Z',
      }),
      limit,
      cursor: withExample(cursor, exampleCursor(example.id)),
    }),
    responses: {
      200: {
        description: 'A page of the records.',
        schema: pageSchema(recordSchema, 'AccessRecordPage', 'access records'),
        example: presentPage([example], listUrl, null),
      },
    },
    refusals: [],
    async handle({ caller }, input) {
      const { items, nextCursor } = await useCases.listReceivedRecords(caller, input);
      return { status: 200, body: presentPage(items.map(presentRecord), listUrl, nextCursor) };
    },
  }),
];
