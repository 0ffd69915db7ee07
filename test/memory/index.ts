import { KeyUses, PolledEventFeed, type Ports, type Settings } from '#core';
import { createJwsVerifier } from '../../gateway/signing/jws-verifier.ts';
import { openSpool } from '../../gateway/spool.ts';
import { createMemoryClock, type MemoryClock } from './clock.ts';
import { nodeCryptography } from './cryptography.ts';
import { createMemoryIds } from './ids.ts';
import { createMemoryRateLimiter } from './rate-limiter.ts';
import { createMemoryRepositories } from './repositories.ts';
import { createMemorySigner } from './signer.ts';
import { createMemoryWebhookPlatform } from './webhook-sender.ts';

export { createMemoryRepositories } from './repositories.ts';

export interface MemoryPorts extends Ports {
  readonly clock: MemoryClock;
}

const memorySettings: Settings = {
  pendingTtlDays: 30,
  grantTtlDays: 365,
  signInWays: ['link'],
  publicKeyUrl: () => 'https://access.example/.well-known/jwks.json',
};

/** Every port of the core, without a database, a network or a real clock. */
export function createMemoryPorts(): MemoryPorts {
  const clock = createMemoryClock(new Date('2026-11-02T09:30:00.000Z'));
  const repositories = createMemoryRepositories();
  return {
    ...repositories,
    accessTokens: null,
    clock,
    cryptography: nodeCryptography,
    eventFeed: new PolledEventFeed(repositories.accessEvents, { perOwner: 2_000, total: 10_000 }),
    ids: createMemoryIds(),
    keyUses: { apiKeys: new KeyUses(), companyKeys: new KeyUses() },
    jwsVerifier: createJwsVerifier(),
    rateLimiter: createMemoryRateLimiter(clock, { points: 600, windowSeconds: 60 }),
    openIdConnect: null,
    openSpool,
    reportUnsignedReceipt: () => undefined,
    settings: memorySettings,
    signer: createMemorySigner(repositories.signingKeys, clock),
    webhooks: createMemoryWebhookPlatform(),
  };
}
