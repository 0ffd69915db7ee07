import { ensure } from '../../model/errors.ts';
import {
  findKeysInUse,
  type SigningKey,
  type SigningKeysInUse,
} from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';
import type { NewKeyOptions, SigningKeyRotation } from '../../ports/proof.ts';

type SigningKeyState = 'next' | 'current' | 'previous' | 'imported' | 'retired';

export interface ListedSigningKey extends SigningKey {
  /** A `current` key signs now. A `next` key signs from `signsAt` on. Signatures of `previous` keys stay valid. */
  readonly state: SigningKeyState;
}

export const listSigningKeys =
  ({ clock, signingKeys }: Ports) =>
  async (): Promise<readonly ListedSigningKey[]> => {
    const keys = await signingKeys.list();
    const inUse = findKeysInUse(keys, clock.now());
    return keys.map((key) => ({ ...key, state: stateOf(key, inUse) }));
  };

function stateOf(key: SigningKey, { current, next }: SigningKeysInUse): SigningKeyState {
  if (key.retiredAt !== null) return 'retired';
  if (key.isImported) return 'imported';
  if (key === next) return 'next';
  return key === current ? 'current' : 'previous';
}

/** Returns the public keys for all signatures. The newest is first, because some verifiers use only the first. */
export const listPublicKeys =
  ({ signingKeys }: Ports) =>
  async (): Promise<readonly SigningKey[]> => {
    const keys = await signingKeys.list();
    return keys.filter(({ retiredAt }) => retiredAt === null).toReversed();
  };

/** @throws Error if no file is configured, if the file can't be written, or if another new key still waits to sign */
export const rotateSigningKey =
  ({ signer }: Ports) =>
  (options?: NewKeyOptions): Promise<SigningKeyRotation> =>
    signer.rotate(options);

/** @throws Error if there is no usable key, and Refusal `signing_key_conflict` if the key is retired */
export const registerSigningKey =
  ({ signer }: Ports) =>
  (options?: NewKeyOptions): Promise<Pick<SigningKey, 'kid' | 'signsAt'>> =>
    signer.register(options);

/**
 * @throws Refusal `signing_key_not_found`, or `signing_key_conflict` if the key signs now or next, or if a stored
 *   signature needs the key
 */
export const retireSigningKey =
  ({ clock, signingKeys }: Ports) =>
  async (kid: string): Promise<void> => {
    const now = clock.now();
    const { current, next } = findKeysInUse(await signingKeys.list(), now);
    const isInUse = kid === current?.kid || kid === next?.kid;
    const since =
      next !== null && kid === next.kid ? `from ${next.signsAt.toISOString()} on` : 'now';
    ensure(!isInUse, 'signing_key_conflict', `the key ${kid} signs ${since}; rotate it first`);
    const result = await signingKeys.retire(kid, now);
    ensure(result !== 'unknown', 'signing_key_not_found', `the signing key ${kid} doesn’t exist`);
    ensure(
      result !== 'in_use',
      'signing_key_conflict',
      `values or receipts depend on the key ${kid}; it must stay so that they can be verified`,
    );
  };
