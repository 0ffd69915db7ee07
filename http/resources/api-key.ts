import { z } from 'zod';
import { type CallingApiKey, environments, scopes } from '#core';
import { instant } from './fields.ts';
import { investorResource } from './investor.ts';

export const apiKeyResource = z
  .object({
    id: z.string().meta({ description: 'ID of the key, of the form `key_…`.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'Name of the key. Null if the key has no name.' }),
    hint: z.string().meta({ description: 'The prefix and the last four characters of the key.' }),
    environment: z.enum(environments).meta({ description: 'The environment of the key.' }),
    scopes: z.array(z.enum(scopes)).meta({ description: 'The scopes of the key.' }),
    rateLimit: z.int().meta({ description: 'Points per window.' }),
    createdAt: instant.meta({ description: 'Time of creation, in RFC 3339.' }),
    expiresAt: instant.nullable().meta({
      description: 'The key is invalid from this time on, in RFC 3339. Null if it doesn’t expire.',
    }),
    lastUsedAt: instant.nullable().meta({
      description:
        'Time of the last use, accurate to ten minutes, in RFC 3339. Null if the key was never used.',
    }),
    investor: investorResource.meta({ description: 'The organisation of the key.' }),
  })
  .meta({ description: 'The calling key, without its secret.' });

export function presentApiKey({
  key,
  investor,
  rateLimit,
}: CallingApiKey): z.output<typeof apiKeyResource> {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    environment: key.environment,
    scopes: [...key.scopes],
    rateLimit,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    investor: { id: investor.id, name: investor.name },
  };
}
