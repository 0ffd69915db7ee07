import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import { withinToken } from '../../model/identity/access-token.ts';
import type { ApiKey } from '../../model/identity/api-key.ts';
import type { InvestorKeyCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { actingCredential } from './acting-credential.ts';
import { type MintedApiKey, rotateApiKey } from './manage-api-keys.ts';
import { readInvestor } from './organisations.ts';

export interface CallingApiKey {
  readonly key: ApiKey;
  readonly investor: Investor;
  /** Points per time window. */
  readonly rateLimit: number;
}

export const callingKeyInput = z.strictObject({});

/** Returns the caller's API key without its secret. For an access token, returns only the token's rights. */
export const readCallingKey =
  (ports: Ports) =>
  async (
    caller: InvestorKeyCaller,
    input: z.input<typeof callingKeyInput> = {},
  ): Promise<CallingApiKey> => {
    parseInput(callingKeyInput, input);
    const [key, investor] = await Promise.all([
      ports.apiKeys.find(caller.credentialId),
      readInvestor(ports)(caller),
    ]);
    if (key === null) throw new AccessError('invalid_api_key');
    return { key: withinToken(key, caller.token), investor, rateLimit: limitOf(ports, key) };
  };

const limitOf = ({ rateLimiter }: Ports, { rateLimit }: Pick<ApiKey, 'rateLimit'>): number =>
  rateLimit ?? rateLimiter.policy.points;

const day = 86_400;

export const rotateCallingKeyInput = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(7 * day)
    .nullish()
    .meta({
      description:
        'Seconds for which the calling key still works, at most until its own end. Default: 86,400.',
      example: day,
    }),
});

type RotateCallingKeyInput = z.input<typeof rotateCallingKeyInput>;

/**
 * Replaces the calling key with a new one that has the same name, scopes, limit and expiry. A rotation must not give
 * the caller more points, so it costs a tenth of the budget. Points that the old key has spent are also spent for the
 * new key.
 *
 * @throws AccessError `api_key_conflict` if the key was already rotated, `insufficient_scope` if an access token was
 *   sent, `rate_limit_exceeded`
 */
export const rotateCallingKey =
  (ports: Ports) =>
  async (
    caller: InvestorKeyCaller,
    input: RotateCallingKeyInput = {},
  ): Promise<CallingApiKey & MintedApiKey> => {
    const { overlapSeconds } = parseInput(rotateCallingKeyInput, input);
    const { rateLimiter, cryptography } = ports;
    // Otherwise the holder of a short-lived token could get a permanent key with all scopes.
    if (caller.token) {
      const message = 'A token can’t rotate its key. Send the key itself.';
      throw new AccessError('insufficient_scope', { message });
    }
    const credential = actingCredential(ports, caller, { permission: 'manage_keys' });
    const overlapMilliseconds = (overlapSeconds ?? day) * 1000;
    const rotation = { id: caller.credentialId, overlapMilliseconds };
    const { key, secret } = await rotateApiKey(ports)({ ...caller, credential }, rotation);
    if (caller.budget !== null) {
      const { points } = await rateLimiter.spend(caller.budget.bucket, 0);
      await rateLimiter.spend(cryptography.sha256(secret), points);
    }
    const investor = await readInvestor(ports)(caller);
    return { key, secret, investor, rateLimit: limitOf(ports, key) };
  };
