import { z } from 'zod';
import type { AccessRecord, RecordReader } from '#core';
import { accessRecordResource, snakeCaseKeys } from '#http';
import { instantParameter } from './schemas.ts';

const {
  id,
  occurred_at,
  request_id,
  protocol,
  company: _company,
  key_hint,
  contact: _contact,
  ...details
} = snakeCaseKeys(accessRecordResource.shape);

const actor = z
  .object({ type: z.literal('contact'), id: z.string(), email: z.string().optional() })
  .optional()
  .meta({
    description:
      'The person who read the data at the desk. Absent if a key read the data. The email address is absent after the investor has removed the person.',
  });

/** @param party the field for the other side of the read: the company or the investor */
export const recordSchemaWith = <Party extends z.ZodRawShape>(party: Party) =>
  z
    .object({
      id,
      object: z.literal('access_record'),
      occurred_at,
      request_id,
      protocol,
      ...party,
      key_hint,
      actor,
      ...details,
    })
    .meta({ ...accessRecordResource.meta(), id: 'AccessRecord' });

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
