import { z } from 'zod';
import { type AccessRecord, grantableScopes, type OwnRecord, protocols, resources } from '#core';
import { companyId, instant } from './fields.ts';

const outcomes = [
  'allowed',
  'invalid_api_key',
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'access_paused',
  'company_not_found',
] as const satisfies readonly AccessRecord['outcome'][];

const company = z.object({
  id: companyId,
  name: z.string().meta({ description: 'Name of the company.' }),
});

export const accessRecordResource = z
  .object({
    id: z.string().meta({ description: 'ID of the record, of the form `rec_…`.' }),
    occurredAt: instant.meta({
      description: 'Time at which the read was allowed or refused, in RFC 3339.',
    }),
    requestId: z.string().meta({ description: 'The Svc-Request-Id of the read.' }),
    protocol: z.enum(protocols).meta({ description: 'The protocol of the read.' }),
    company: company.nullable().meta({
      description:
        'The company of the read. Null if the read was refused because the company isn’t in your portfolio.',
    }),
    keyHint: z
      .string()
      .nullable()
      .meta({ description: 'Identifies the key. Null if a person read the data at the desk.' }),
    contact: z.object({ id: z.string(), email: z.string().nullable() }).nullable().meta({
      description:
        'The person who read the data at the desk. Null if a key read the data. The email address is null after the investor has removed the person.',
    }),
    scope: z.enum(grantableScopes).meta({ description: 'The required scope.' }),
    resource: z.enum(resources).meta({ description: 'The kind of data that was requested.' }),
    metricKey: z.string().nullable().meta({
      description: 'The requested metric. Null if the read doesn’t concern one metric.',
    }),
    grantId: z.string().nullable().meta({
      description: 'The access request that allowed the read. Null if the read was refused.',
    }),
    outcome: z
      .enum(outcomes)
      .meta({ description: 'The result: allowed, or the code of the refusal.' }),
  })
  .meta({ description: 'The record of one read, or of several identical refusals.' });

export function presentOwnRecord({
  record,
  keyHint,
  contactEmail,
  company,
}: OwnRecord): z.output<typeof accessRecordResource> {
  const { contactId } = record;
  return {
    id: record.id,
    occurredAt: record.occurredAt.toISOString(),
    requestId: record.requestId,
    protocol: record.protocol,
    company: company && { id: company.id, name: company.name },
    keyHint,
    contact: contactId === null ? null : { id: contactId, email: contactEmail },
    scope: record.scope,
    resource: record.resource,
    metricKey: record.metricKey,
    grantId: record.grantId,
    outcome: record.outcome,
  };
}
