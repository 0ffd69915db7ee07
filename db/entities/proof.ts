import { defineEntity, p } from '@mikro-orm/core';
import type { PublicJwk } from '#core';

export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  properties: {
    number: p.smallint().primary().autoincrement().generated('identity'),
    kid: p.text(),
    publicKey: p.text(),
    createdAt: p.datetime(3),
    signsAt: p.datetime(3).nullable(),
    retiredAt: p.datetime(3).nullable(),
    isImported: p.boolean().default(false),
    /** Signatures refer to this number. It is null for a retired key, so that no new signature can refer to the key. */
    activeNumber: p
      .smallint()
      .nullable()
      .generated('(case when retired_at is null then number else null end) stored'),
  },
});

export const UpstreamSignerEntity = defineEntity({
  name: 'UpstreamSigner',
  properties: {
    companyId: p.text().primary(),
    kid: p.text().primary(),
    jwk: p.json().$type<PublicJwk>(),
    addedAt: p.datetime(3),
  },
});
