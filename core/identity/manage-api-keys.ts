import { foldScopes, type Scope } from '../consent/scopes.ts';
import { ensure, OperatorError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { addMilliseconds, isExpressible, isFutureEnd } from '../time.ts';
import { type ApiKey, mintSecret, stateOfKey } from './api-key.ts';
import { findInvestor } from './manage-investors.ts';

/** A key at the one moment when its secret can be seen. */
export interface MintedApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

interface NewKeyInput {
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date | undefined;
  /** Points a window; the default of the service when absent. */
  readonly rateLimit?: number | undefined;
}

const maxRateLimit = 1_000_000;

/** @throws OperatorError `not_found` or `invalid` */
export const createApiKey =
  (ports: Ports) =>
  async (input: NewKeyInput): Promise<MintedApiKey> => {
    const now = ports.clock.now();
    const investor = await findInvestor(ports, input.investorId);
    ensure(input.scopes.length > 0, 'invalid', 'a key needs at least one scope');
    const { expiresAt = null, rateLimit = null } = input;
    ensure(
      expiresAt === null || isFutureEnd(expiresAt, now),
      'invalid',
      'the expiry of a key must lie in the future, before the year 10000',
    );
    ensure(
      rateLimit === null ||
        (Number.isInteger(rateLimit) && rateLimit >= 1 && rateLimit <= maxRateLimit),
      'invalid',
      `a rate limit is a whole number from 1 to ${maxRateLimit}`,
    );
    const { secret, digest, hint } = mintSecret(investor.environment, ports.cryptography);
    const key: ApiKey = {
      id: ports.ids.next('key'),
      investorId: investor.id,
      environment: investor.environment,
      hint,
      scopes: foldScopes(input.scopes),
      rateLimit,
      createdAt: now,
      expiresAt,
      revokedAt: null,
      replacedBy: null,
    };
    await ports.apiKeys.add({ key, digest });
    return { key, secret };
  };

/** The keys of one investor or of all, oldest first. */
export const listApiKeys =
  (ports: Ports) =>
  async (filter: { investorId?: string | undefined } = {}): Promise<ApiKey[]> => {
    if (filter.investorId === undefined) return ports.apiKeys.list(null);
    const investor = await findInvestor(ports, filter.investorId);
    return ports.apiKeys.list(investor.id);
  };

/** A key that was live a moment ago: one that is not can be neither revoked nor rotated. */
async function findLiveKey({ apiKeys, clock }: Ports, id: string): Promise<ApiKey> {
  const key = await apiKeys.find(id);
  if (key === null) throw new OperatorError('not_found', `there is no key ${id}`);
  const state = stateOfKey(key, clock.now());
  ensure(state !== 'revoked', 'conflict', `the key ${id} is revoked`);
  ensure(state !== 'expired', 'conflict', `the key ${id} has expired`);
  return key;
}

/** @throws OperatorError `not_found`, or `conflict` when the key works no more */
export const revokeApiKey =
  (ports: Ports) =>
  async (id: string): Promise<ApiKey> => {
    const key = await findLiveKey(ports, id);
    const revokedAt = ports.clock.now();
    const isRevoked = await ports.apiKeys.revoke(id, revokedAt);
    ensure(isRevoked, 'conflict', `the key ${id} is revoked`);
    return { ...key, revokedAt };
  };

/**
 * Mints a successor with the same rights and the same end; the old key works until the overlap is over, and never past
 * its own expiry.
 *
 * @throws OperatorError `not_found`, `invalid`, or `conflict` when the key works no more or was rotated before
 */
export const rotateApiKey =
  (ports: Ports) =>
  async (id: string, overlapMilliseconds: number): Promise<MintedApiKey> => {
    const now = ports.clock.now();
    const overlapEnds = addMilliseconds(now, overlapMilliseconds);
    const isOverlap = overlapEnds >= now && isExpressible(overlapEnds);
    ensure(isOverlap, 'invalid', 'an overlap must not be negative or without end');
    const old = await findLiveKey(ports, id);
    const { secret, digest, hint } = mintSecret(old.environment, ports.cryptography);
    const key: ApiKey = { ...old, id: ports.ids.next('key'), hint, createdAt: now };
    const oldExpiresAt =
      old.expiresAt !== null && old.expiresAt < overlapEnds ? old.expiresAt : overlapEnds;
    const isReplaced = await ports.apiKeys.replace(old, oldExpiresAt, { key, digest });
    ensure(isReplaced, 'conflict', `the key ${id} was rotated already; rotate its successor`);
    return { key, secret };
  };
