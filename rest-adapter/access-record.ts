import { z } from 'zod';
import { type AccessRecord, grantableScopes, protocols, type RecordReader, resources } from '#core';
import { instant } from '#http';
import { instantParameter } from './schemas.ts';

const outcomes = [
  'allowed',
  'invalid_api_key',
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'company_not_found',
] as const satisfies readonly AccessRecord['outcome'][];

const recordSchema = z.object({
  id: z.string().meta({ description: 'Identifier of the form rec_….' }),
  object: z.literal('access_record'),
  occurred_at: instant,
  request_id: z.string().meta({ description: 'The Svc-Request-Id of the read.' }),
  protocol: z.enum(protocols),
});

const detailsSchema = z.object({
  key_hint: z.string().nullable().meta({
    description: 'Identifies the key. Null if a person at the desk read.',
  }),
  actor: z
    .object({ type: z.literal('contact'), id: z.string(), email: z.string().optional() })
    .optional()
    .meta({
      description:
        'The person at the desk who read. The address is null after the investor has removed the person.',
    }),
  scope: z.enum(grantableScopes),
  resource: z.enum(resources).meta({ description: 'The kind of data that was requested.' }),
  metric_key: z
    .string()
    .nullable()
    .meta({ description: 'The requested metric. Null if the read doesn’t concern one metric.' }),
  grant_id: z.string().nullable().meta({
    description: 'The access request that allowed the read. Null if the read was refused.',
  }),
  outcome: z.enum(outcomes).meta({ description: '`allowed`, or the code of the refusal.' }),
});

/** The schema of a record with the other party. */
export const recordSchemaWith = <Party extends z.ZodRawShape>(party: Party) =>
  z
    .object({ ...recordSchema.shape, ...party, ...detailsSchema.shape })
    .meta({ id: 'AccessRecord', description: 'The proof of one read, or of equal refusals.' });

export function presentRecordWith<Party extends object>(
  record: AccessRecord,
  { keyHint, contactEmail }: RecordReader,
  party: Party,
) {
  return {
    id: record.id,
    object: 'access_record' as const,
    occurred_at: record.occurredAt.toISOString(),
    request_id: record.requestId,
    protocol: record.protocol,
    ...party,
    key_hint: keyHint,
    ...(record.contactId !== null && {
      actor: {
        type: 'contact' as const,
        id: record.contactId,
        ...(contactEmail !== null && { email: contactEmail }),
      },
    }),
    scope: record.scope,
    resource: record.resource,
    metric_key: record.metricKey,
    grant_id: record.grantId,
    outcome: record.outcome,
  };
}

export const recordExampleWith = <Party extends object>(party: Party, grantId: string) => ({
  id: 'rec_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'access_record' as const,
  occurred_at: '2026-11-04T08:15:30.250Z',
  request_id: 'req_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  protocol: 'rest' as const,
  ...party,
  key_hint: 'svc_sk_test_…4f2K',
  scope: 'metrics:read' as const,
  resource: 'metrics' as const,
  metric_key: null,
  grant_id: grantId,
  outcome: 'allowed' as const,
});

/** The period of a list. */
export const recordPeriod = {
  since: instantParameter.optional().meta({
    description: 'The start of the period, included.',
    example: '2026-01-01T00:00:00Z',
  }),
  until: instantParameter.optional().meta({
    description: 'The end of the period, included.',
    example: '2036-12-31T23:59:59Z',
  }),
};
