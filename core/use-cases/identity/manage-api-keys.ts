import { z } from 'zod';
import { foldScopes, scopes } from '../../model/consent/scopes.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { ApiKey } from '../../model/identity/api-key.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import { changeOfKey, settingsChange } from '../../model/identity/settings-change.ts';
import { instantInput, nameInput, parseInput, trimmedNameInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { chargeCaller } from './admit-caller.ts';
import {
  apiKeyKind,
  changeKeys,
  type Minted,
  maxListedKeys,
  newKey,
  operatorRotationInput,
  renameKeyOf,
  requireFutureExpiry,
  requireKeyLimit,
  revokeKeyOf,
  rotateKey,
  rotationInput,
} from './manage-keys.ts';
import { findInvestor } from './organisations.ts';

export type MintedApiKey = Minted<ApiKey>;

/** Returns the investor's keys without secrets: first the working keys, then the revoked and expired ones. */
export const listOwnApiKeys =
  (ports: Ports) =>
  ({ investorId }: InvestorCaller): Promise<ApiKey[]> =>
    ports.apiKeys.listLatest(investorId, ports.clock.now(), maxListedKeys);

/** Returns the keys of one investor, or of all investors, oldest first. */
export const listApiKeys =
  (ports: Ports) =>
  async ({ investorId }: { investorId?: string | undefined } = {}): Promise<ApiKey[]> => {
    if (investorId !== undefined) await findInvestor(ports, investorId);
    return ports.apiKeys.list(investorId ?? null);
  };

const maxRateLimit = 1_000_000;

const newKeyInput = z.strictObject({
  scopes: z.array(z.enum(scopes)).min(1, 'missing_scopes').readonly(),
  name: nameInput.nullish(),
  expiresAt: instantInput.nullish(),
});

export type NewApiKeyInput = z.input<typeof newKeyInput>;

const operatorKeyInput = newKeyInput.extend({
  name: trimmedNameInput.nullish(),
  /** The rate limit, in points per time window. Default: the limit of the service. */
  rateLimit: z.int().min(1).max(maxRateLimit).nullish(),
});

export type OperatorApiKeyInput = z.input<typeof operatorKeyInput>;

export const createApiKey =
  (ports: Ports) =>
  async ({ id, environment }: Investor, input: OperatorApiKeyInput): Promise<MintedApiKey> =>
    create(ports, { investorId: id, environment }, null, parseInput(operatorKeyInput, input));

/**
 * Creates a key for the caller's investor. The new key has its own budget, so creating it costs the caller points.
 *
 * @throws AccessError `api_key_limit`, `rate_limit_exceeded`
 */
export const createOwnApiKey =
  (ports: Ports) =>
  async (caller: InvestorCaller & Permitted, input: NewApiKeyInput): Promise<MintedApiKey> =>
    create(ports, caller, caller, parseInput(newKeyInput, input));

async function create(
  ports: Ports,
  { investorId, environment }: Pick<InvestorCaller, 'investorId' | 'environment'>,
  caller: (InvestorCaller & Permitted) | null,
  { name = null, expiresAt = null, rateLimit = null, ...input }: z.output<typeof operatorKeyInput>,
): Promise<MintedApiKey> {
  const { clock, ids } = ports;
  requireFutureExpiry(expiresAt, clock.now());
  const { key: created, secret, digest } = newKey(ports, apiKeyKind, environment);
  const scopes = foldScopes(input.scopes);
  const key: ApiKey = { ...created, investorId, scopes, rateLimit, name, expiresAt };
  if (caller !== null) await chargeForKey(ports, caller);
  return changeKeys(ports, apiKeyKind, caller, async (keys) => {
    const changed = changeOfKey('created', null, key);
    await keys.add({ key, digest }, settingsChange(ids, key.createdAt, caller, changed));
    if (caller !== null) await requireKeyLimit(keys, apiKeyKind, investorId, clock.now());
    return { key, secret };
  });
}

/** A new key costs a tenth of a budget, so that creating keys doesn't multiply the budget. */
async function chargeForKey(ports: Ports, caller: InvestorCaller): Promise<void> {
  const limit = caller.budget?.limit ?? ports.rateLimiter.policy.points;
  const { refusal } = await chargeCaller(ports)(caller, Math.ceil(limit / 10));
  if (refusal !== null) throw refusal;
}

/** @throws AccessError `api_key_not_found`, `api_key_conflict` if the key no longer works */
export const revokeApiKey = revokeKeyOf(apiKeyKind);

/** @throws AccessError `api_key_not_found` */
export const renameApiKey = renameKeyOf(apiKeyKind);

/**
 * Rotates a key. The old key works until the overlap ends. If the old key itself replaced a key that still works, that
 * older key stops working at once. So at most two keys that replaced each other work at the same time. The caller pays
 * points for the new key. For operators, older keys keep working and no points are spent.
 *
 * @throws AccessError `api_key_not_found`, `api_key_conflict` if the key no longer works or was already rotated, and
 *   `rate_limit_exceeded`
 */
export const rotateApiKey =
  (ports: Ports) =>
  async (
    owner: (InvestorCaller & Permitted) | null,
    input: z.input<typeof rotationInput>,
  ): Promise<MintedApiKey> => {
    const rotation = parseInput(owner === null ? operatorRotationInput : rotationInput, input);
    if (owner !== null) await chargeForKey(ports, owner);
    const olderEndsAt = owner === null ? undefined : ports.clock.now();
    return changeKeys(ports, apiKeyKind, owner, (keys) =>
      rotateKey(keys, apiKeyKind, ports, rotation, owner, olderEndsAt),
    );
  };
