import { z } from 'zod';
import { foldScopes, scopes } from '../../model/consent/scopes.ts';
import type { ApiKey } from '../../model/identity/api-key.ts';
import {
  changeOfKey,
  settingsActorOf,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { givenNameInput, instantInput, parseInput } from '../../model/input.ts';
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

/** @throws Refusal `api_key_not_found`, or `api_key_conflict` when the key works no more or was rotated before */
export const rotateApiKey =
  (ports: Ports) =>
  (rotation: {
    readonly id: string;
    readonly overlapMilliseconds: number;
  }): Promise<MintedApiKey> =>
    rotateKey(ports.apiKeys, apiKeyKind, ports, rotation, operator);
