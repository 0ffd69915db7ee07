import { z } from 'zod';
import { foldScopes, scopes } from '../../model/consent/scopes.ts';
import type { ApiKey } from '../../model/identity/api-key.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import {
  type Acting,
  changeOfKey,
  settingsActorOf,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { givenNameInput, instantInput, parseInput } from '../../model/input.ts';
import type { ApiKeys } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';
import {
  apiKeyKind,
  type Minted,
  newKey,
  renameKey,
  requireFutureExpiry,
  revokeKey,
  rotateKey,
} from './manage-keys.ts';
import { findInvestor } from './organisations.ts';

export type MintedApiKey = Minted<ApiKey>;

const operator = settingsActorOf(null);

const maxRateLimit = 1_000_000;

const newKeyInput = z.strictObject({
  investorId: z.string(),
  scopes: z.array(z.enum(scopes)).min(1, 'missing_scopes').readonly(),
  name: givenNameInput.nullish(),
  expiresAt: instantInput.nullish(),
  /** Points a window; the default of the service when absent. */
  rateLimit: z.int().min(1).max(maxRateLimit).nullish(),
});

/** @throws InputError, and Refusal `investor_not_found` */
export const createApiKey =
  (ports: Ports) =>
  async (input: z.input<typeof newKeyInput>): Promise<MintedApiKey> => {
    const asked = parseInput(newKeyInput, input);
    const { id: investorId, environment } = await findInvestor(ports, asked.investorId);
    const { name = null, expiresAt = null, rateLimit = null } = asked;
    requireFutureExpiry(expiresAt, ports.clock.now());
    const { key: fresh, secret, digest } = newKey(ports, apiKeyKind, environment);
    const rights = { investorId, scopes: foldScopes(asked.scopes), rateLimit, expiresAt };
    const key: ApiKey = { ...fresh, name, ...rights };
    const changed = changeOfKey('created', null, key);
    const change = settingsChange(ports.ids, key.createdAt, operator, changed);
    await ports.apiKeys.add({ key, digest }, change);
    return { key, secret };
  };

/** The keys of one investor or of all, oldest first. */
export const listApiKeys =
  (ports: Ports) =>
  async ({ investorId }: { investorId?: string | undefined } = {}): Promise<ApiKey[]> => {
    if (investorId !== undefined) await findInvestor(ports, investorId);
    return ports.apiKeys.list(investorId ?? null);
  };

/** @throws Refusal `api_key_not_found`, or `api_key_conflict` when the key works no more */
export const revokeApiKey =
  (ports: Ports) =>
  ({ id }: Pick<ApiKey, 'id'>): Promise<ApiKey> =>
    revokeKey(ports.apiKeys, apiKeyKind, ports, id, operator);

export const renameKeyInput = z.strictObject({ id: z.string(), name: givenNameInput });

/** @throws InputError, and Refusal `api_key_not_found` */
export const renameApiKey =
  (ports: Ports) =>
  async (input: z.input<typeof renameKeyInput>): Promise<ApiKey> =>
    renameKey(ports.apiKeys, apiKeyKind, ports, parseInput(renameKeyInput, input), operator);

/** Whose key is rotated: one of an investor, or, when null, anybody's by an operator. */
type Whose = (Pick<InvestorCaller, 'investorId'> & Acting) | null;

/**
 * Of an investor at most two keys of such a chain work at a time: the one before the old key ends at once. An operator
 * may let any number of them work.
 *
 * @throws Refusal `api_key_not_found`, also for another's, or `api_key_conflict` when the key works no more or was
 *   rotated before
 */
export const rotateApiKey =
  (ports: Ports) =>
  (
    whose: Whose,
    rotation: { readonly id: string; readonly overlapMilliseconds: number },
  ): Promise<MintedApiKey> => {
    if (whose === null) return rotateKey(ports.apiKeys, apiKeyKind, ports, rotation, operator);
    const { find, replace } = ports.apiKeys;
    const own: Pick<ApiKeys, 'find' | 'replace'> = {
      async find(id) {
        const key = await find(id);
        return key?.investorId === whose.investorId ? key : null;
      },
      replace: (old, oldExpiresAt, successor, _, change) =>
        replace(old, oldExpiresAt, successor, ports.clock.now(), change),
    };
    return rotateKey(own, apiKeyKind, ports, rotation, settingsActorOf(whose));
  };
