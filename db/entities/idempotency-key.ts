import { defineEntity, p } from '@mikro-orm/core';
import type { RequestOutcome } from '#core';

export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  properties: {
    investorId: p.text().primary(),
    key: p.text().primary(),
    claimId: p.text(),
    fingerprint: p.uint8array(),
    claimedAt: p.datetime(3),
    leasedUntil: p.datetime(3),
    expiresAt: p.datetime(3).index('idempotency_key_by_expiry'),
    outcome: p.text().$type<RequestOutcome>().nullable(),
    accessRequestId: p.text().nullable(),
  },
});
