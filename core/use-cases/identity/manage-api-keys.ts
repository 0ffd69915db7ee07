import { foldScopes, type Scope } from '../../model/consent/scopes.ts';
import { ensure } from '../../model/errors.ts';
import { type ApiKey, apiKeyPrefix } from '../../model/identity/api-key.ts';
import type { Ports } from '../../ports/index.ts';
import {
  checkExpiry,
  type Minted,
  nameOfKey,
  newKey,
  renameKey,
  revokeKey,
  rotateKey,
} from './manage-keys.ts';
import { findInvestor } from './organisations.ts';

export type MintedApiKey = Minted<ApiKey>;

interface NewKeyInput {
  readonly investorId: string;
  readonly scopes: readonly Scope[];
  readonly name?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Points a window; the default of the service when absent. */
  readonly rateLimit?: number | undefined;
}

const maxRateLimit = 1_000_000;

/** @throws OperatorError `not_found` or `invalid` */
export const createApiKey =
  (ports: Ports) =>
  async (input: NewKeyInput): Promise<MintedApiKey> => {
    const investor = await findInvestor(ports, input.investorId);
    ensure(input.scopes.length > 0, 'invalid', 'a key needs at least one scope');
    const { expiresAt = null, rateLimit = null } = input;
    checkExpiry(expiresAt, ports.clock.now());
    ensure(
      rateLimit === null ||
        (Number.isInteger(rateLimit) && rateLimit >= 1 && rateLimit <= maxRateLimit),
      'invalid',
      `a rate limit is a whole number from 1 to ${maxRateLimit}`,
    );
    const name = nameOfKey(input.name);
    const { id: investorId, environment } = investor;
    const { key: fresh, secret, digest } = newKey(ports, 'key', apiKeyPrefix(environment));
    const scopes = foldScopes(input.scopes);
    const rights = { investorId, environment, scopes, rateLimit, expiresAt };
    const key: ApiKey = { ...fresh, name, ...rights };
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

/** @throws OperatorError `not_found`, or `conflict` when the key works no more */
export const revokeApiKey =
  (ports: Ports) =>
  (id: string): Promise<ApiKey> =>
    revokeKey(ports.apiKeys, ports, id);

/** @throws OperatorError `not_found` or `invalid` */
export const renameApiKey =
  (ports: Ports) =>
  (id: string, name: string): Promise<ApiKey> =>
    renameKey(ports.apiKeys, id, name);

/** @throws OperatorError `not_found`, `invalid`, or `conflict` when the key works no more or was rotated before */
export const rotateApiKey =
  (ports: Ports) =>
  (id: string, overlapMilliseconds: number): Promise<MintedApiKey> =>
    rotateKey(ports.apiKeys, ports, { id, overlapMilliseconds }, ({ environment }) =>
      newKey(ports, 'key', apiKeyPrefix(environment)),
    );
