import { z } from 'zod';
import type { Source } from '#core';
import { companyId, instant } from './fields.ts';

export const sourceResource = z
  .object({
    companyId,
    provider: z.string().meta({ description: 'Name of the connected provider.' }),
    status: z.string().meta({
      description:
        'Sync status: `connected` if it works, `stale` if the expected sync is overdue, `failed` if it no longer works. Other values come from the source.',
    }),
    accountName: z.string().meta({ description: 'Label of the connected account.' }),
    lastSyncedAt: instant.meta({ description: 'Time of the last sync, in RFC 3339.' }),
  })
  .meta({ description: 'A connected data source. Credentials are never returned.' });

export function presentSource(source: Source): z.output<typeof sourceResource> {
  return {
    companyId: source.companyId,
    provider: source.provider,
    status: source.status,
    accountName: source.accountName,
    lastSyncedAt: source.lastSyncedAt.toISOString(),
  };
}
