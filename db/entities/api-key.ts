import { defineEntity, p } from '@mikro-orm/core';
import type { Environment, Scope } from '#core';

/** The secret itself is never here, only the SHA-256 digest of it. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.text().primary(),
    investorId: p.text(),
    environment: p.text().$type<Environment>(),
    digest: p.uint8array().unique('api_key_digest'),
    hint: p.text(),
    scopes: p.array().columnType('text[]').$type<readonly Scope[]>(),
    rateLimit: p.integer().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    replacedBy: p.text().nullable(),
  },
  indexes: [{ name: 'api_key_of_investor', properties: ['investorId', 'createdAt', 'id'] }],
});
