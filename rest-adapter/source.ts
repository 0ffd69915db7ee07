import { z } from 'zod';
import type { Source } from '#core';
import { snakeCaseKeys, sourceResource } from '#http';
import { listSchema } from './list.ts';

const { company_id: _companyId, ...fields } = snakeCaseKeys(sourceResource.shape);

export const sourceSchema = z
  .object({ object: z.literal('source'), ...fields })
  .meta({ ...sourceResource.meta(), id: 'Source' });

export function presentSource(source: Source): z.output<typeof sourceSchema> {
  return {
    object: 'source',
    provider: source.provider,
    status: source.status,
    account_name: source.accountName,
    last_synced_at: source.lastSyncedAt.toISOString(),
  };
}

export const sourceExamples: z.output<typeof sourceSchema>[] = [
  {
    object: 'source',
    provider: 'Brex',
    status: 'reauthorization_required',
    account_name: 'Company cards',
    last_synced_at: '2026-10-24T04:00:00.000Z',
  },
  {
    object: 'source',
    provider: 'Mercury',
    status: 'connected',
    account_name: 'Operating account',
    last_synced_at: '2026-11-01T04:00:00.000Z',
  },
];

export const sourceListSchema = listSchema(sourceSchema, 'SourceList', 'sources');
