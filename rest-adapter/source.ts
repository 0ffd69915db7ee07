import { z } from 'zod';
import type { Source } from '#core';
import { listSchema } from './list.ts';
import { instantSchema } from './schemas.ts';

export const sourceSchema = z
  .object({
    object: z.literal('source'),
    provider: z.string().meta({ description: 'Name of the connected provider.' }),
    status: z.string().meta({
      description:
        'Sync status: `connected` if it works, `stale` if the expected sync is overdue, `failed` if it no longer works. Other values come from the source.',
    }),
    account_name: z.string().meta({ description: 'Label of the connected account.' }),
    last_synced_at: instantSchema,
  })
  .meta({ id: 'Source', description: 'A connected data source. Credentials are never returned.' });

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
