import { foldScopes, type Scope } from '../consent/scopes.ts';
import { OperatorError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { addMilliseconds, isExpressible } from '../time.ts';
import { type ApiKey, isKeyLive, type MintedSecret, mintSecret } from './api-key.ts';
import { findInvestor } from './manage-investors.ts';

/** A key at the one moment when its secret can be seen. */
export interface MintedApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

export interface NewKeyInput {
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
    if (input.scopes.length === 0)
      throw new OperatorError('invalid', 'a key needs at least one scope');
    const { expiresAt = null } = input;
    if (expiresAt !== null && !(expiresAt.getTime() > now.getTime() && isExpressible(expiresAt))) {
      throw new OperatorError(
        'invalid',
        'the expiry of a key must lie in the future, before the year 10000',
      );
    }
    if (input.rateLimit !== undefined && !isRateLimit(input.rateLimit)) {
      throw new OperatorError(
        'invalid',
        `a rate limit is a whole number from 1 to ${maxRateLimit}`,
      );
    }
    const minted = mintSecret(investor.environment, ports.cryptography);
    const key: ApiKey = {
      id: ports.ids.next('key'),
      investorId: investor.id,
      environment: investor.environment,
      hint: minted.hint,
      scopes: foldScopes(input.scopes),
      rateLimit: input.rateLimit ?? null,
      createdAt: now,
      expiresAt,
      revokedAt: null,
      replacedBy: null,
    };
    await ports.apiKeys.add({ key, digest: minted.digest });
    return { key, secret: minted.secret };
  };

function isRateLimit(points: number): boolean {
  return Number.isInteger(points) && points >= 1 && points <= maxRateLimit;
}

/** The keys of one investor or of all, oldest first. */
export const listApiKeys =
  (ports: Ports) =>
  async (filter: { investorId?: string | undefined } = {}): Promise<ApiKey[]> => {
    if (filter.investorId === undefined) return ports.apiKeys.list(null);
    const investor = await findInvestor(ports, filter.investorId);
    return ports.apiKeys.list(investor.id);
  };

/** A key that was live a moment ago: revoking and rotating one that is not is refused. */
async function findLiveKey({ apiKeys, clock }: Ports, id: string): Promise<ApiKey> {
  const key = await apiKeys.find(id);
  if (key === null) throw new OperatorError('not_found', `there is no key ${id}`);
  if (key.revokedAt !== null) throw new OperatorError('conflict', `the key ${id} is revoked`);
  if (!isKeyLive(key, clock.now()))
    throw new OperatorError('conflict', `the key ${id} has expired`);
  return key;
}

/** @throws OperatorError `not_found`, or `conflict` when the key works no more */
export const revokeApiKey =
  (ports: Ports) =>
  async (id: string): Promise<ApiKey> => {
    const key = await findLiveKey(ports, id);
    const revokedAt = ports.clock.now();
    if (!(await ports.apiKeys.revoke(id, revokedAt))) {
      throw new OperatorError('conflict', `the key ${id} is revoked`);
    }
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
    if (!(overlapEnds.getTime() >= now.getTime() && isExpressible(overlapEnds))) {
      throw new OperatorError('invalid', 'an overlap must not be negative or without end');
    }
    const old = await findLiveKey(ports, id);
    const minted = mintSecret(old.environment, ports.cryptography);
    const key = succeed(old, ports.ids.next('key'), minted, now);
    const oldExpiresAt = earlier(old.expiresAt, overlapEnds);
    if (!(await ports.apiKeys.replace(old, oldExpiresAt, { key, digest: minted.digest }))) {
      throw new OperatorError(
        'conflict',
        `the key ${id} was rotated already; rotate its successor`,
      );
    }
    return { key, secret: minted.secret };
  };

function succeed(old: ApiKey, id: string, { hint }: MintedSecret, now: Date): ApiKey {
  return { ...old, id, hint, createdAt: now };
}

function earlier(expiry: Date | null, other: Date): Date {
  return expiry !== null && expiry.getTime() < other.getTime() ? expiry : other;
}
