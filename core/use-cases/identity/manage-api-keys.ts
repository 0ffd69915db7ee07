import { z } from 'zod';
import { foldScopes, scopes } from '../../model/consent/scopes.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { ApiKey } from '../../model/identity/api-key.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import { type Acting, changeOfKey, settingsChange } from '../../model/identity/settings-change.ts';
import { instantInput, nameInput, parseInput, trimmedNameInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { chargeCaller } from './admit-caller.ts';
import {
  anyRotationInput,
  apiKeyKind,
  changeKeys,
  type Minted,
  maxListedKeys,
  newKey,
  renameKeyOf,
  requireFewWork,
  requireFutureExpiry,
  revokeKeyOf,
  rotateKey,
  rotationInput,
} from './manage-keys.ts';
import { findInvestor } from './organisations.ts';

export type MintedApiKey = Minted<ApiKey>;

/** Returns the keys of the caller's investor without secrets: working keys first, then ended ones, newest first. */
export const listOwnApiKeys =
  (ports: Ports) =>
  ({ investorId }: InvestorCaller): Promise<ApiKey[]> =>
    ports.apiKeys.listLatest(investorId, ports.clock.now(), maxListedKeys);

/** Returns the keys of one investor or of all, oldest first. */
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
  /** Points per window. Default: the limit of the service. */
  rateLimit: z.int().min(1).max(maxRateLimit).nullish(),
});

export type OperatorApiKeyInput = z.input<typeof operatorKeyInput>;

/** @throws InputError */
export const createApiKey =
  (ports: Ports) =>
  async ({ id, environment }: Investor, input: OperatorApiKeyInput): Promise<MintedApiKey> => {
    const { key, secret, digest } = mint(
      ports,
      { investorId: id, environment },
      parseInput(operatorKeyInput, input),
    );
    await changeKeys(ports, apiKeyKind, null, (keys) =>
      keys.add({ key, digest }, created(ports, key, null)),
    );
    return { key, secret };
  };

/**
 * Creates a key for the caller's investor. Each key has its own budget, so the caller pays for it.
 *
 * @throws InputError, and AccessError `api_key_limit`, `rate_limit_exceeded`
 */
export const createOwnApiKey =
  (ports: Ports) =>
  async (caller: InvestorCaller & Permitted, input: NewApiKeyInput): Promise<MintedApiKey> => {
    const { key, secret, digest } = mint(ports, caller, parseInput(newKeyInput, input));
    await chargeForKey(ports, caller);
    return changeKeys(ports, apiKeyKind, caller, async (keys) => {
      await keys.add({ key, digest }, created(ports, key, caller));
      await requireFewWork(keys, apiKeyKind, caller.investorId, ports.clock.now());
      return { key, secret };
    });
  };

const created = ({ ids }: Ports, key: ApiKey, acting: Acting | null) =>
  settingsChange(ids, key.createdAt, acting, changeOfKey('created', null, key));

function mint(
  ports: Ports,
  { investorId, environment }: Pick<InvestorCaller, 'investorId' | 'environment'>,
  { scopes: requested, name = null, expiresAt = null, ...more }: z.output<typeof operatorKeyInput>,
) {
  requireFutureExpiry(expiresAt, ports.clock.now());
  const { key: fresh, secret, digest } = newKey(ports, apiKeyKind, environment);
  const rights = { investorId, scopes: foldScopes(requested), rateLimit: more.rateLimit ?? null };
  const key: ApiKey = { ...fresh, ...rights, name, expiresAt };
  return { key, secret, digest };
}

/** A new key costs this part of a budget. */
const keysOfBudget = 10;

/** Charges for a new key, so that creating keys doesn't multiply the budget. */
async function chargeForKey(ports: Ports, caller: InvestorCaller): Promise<void> {
  const limit = caller.budget?.limit ?? ports.rateLimiter.policy.points;
  const { refusal } = await chargeCaller(ports)(caller, Math.ceil(limit / keysOfBudget));
  if (refusal !== null) throw refusal;
}

/** @throws InputError, and AccessError `api_key_not_found`, `api_key_conflict` if it no longer works */
export const revokeApiKey = revokeKeyOf(apiKeyKind);

/** @throws InputError, and AccessError `api_key_not_found` */
export const renameApiKey = renameKeyOf(apiKeyKind);

/**
 * Rotates a key. Investors have at most two working keys of a chain, so the key before the old one ends at once. The
 * caller pays for the new budget. Operators have no limits.
 *
 * @throws InputError, AccessError `api_key_not_found`, `api_key_conflict` if the key no longer works or was already
 *   rotated, and `rate_limit_exceeded`
 */
export const rotateApiKey =
  (ports: Ports) =>
  async (
    owner: (InvestorCaller & Permitted) | null,
    input: z.input<typeof rotationInput>,
  ): Promise<MintedApiKey> => {
    const rotation = parseInput(owner === null ? anyRotationInput : rotationInput, input);
    if (owner !== null) await chargeForKey(ports, owner);
    const olderEndsAt = owner === null ? undefined : ports.clock.now();
    return changeKeys(ports, apiKeyKind, owner, (keys) =>
      rotateKey(keys, apiKeyKind, ports, rotation, owner, olderEndsAt),
    );
  };
