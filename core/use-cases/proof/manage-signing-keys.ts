import { ensure } from '../../model/errors.ts';
import type { SigningKey } from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';
import type { SigningKeyRotation } from '../../ports/proof.ts';

type SigningKeyState = 'current' | 'previous' | 'imported' | 'retired';

export interface ListedSigningKey extends SigningKey {
  /** `current` was registered last; what `previous` keys have signed still verifies. */
  readonly state: SigningKeyState;
}

/** By number, which is the order in which they were registered. */
export const listSigningKeys =
  ({ signingKeys }: Pick<Ports, 'signingKeys'>) =>
  async (): Promise<readonly ListedSigningKey[]> => {
    const keys = await signingKeys.list();
    const current = findCurrent(keys);
    return keys.map((key) => ({ ...key, state: stateOf(key, current) }));
  };

/** Told by the database alone: who only asks for a key must not need the private one, nor make one. */
const findCurrent = (keys: readonly SigningKey[]) =>
  keys.findLast(({ retiredAt, isImported }) => retiredAt === null && !isImported);

function stateOf(key: SigningKey, current: SigningKey | undefined): SigningKeyState {
  if (key.retiredAt !== null) return 'retired';
  if (key.isImported) return 'imported';
  return key === current ? 'current' : 'previous';
}

/** The public keys that verify all served signatures. Newest first, for verifiers that use the first one. */
export const listPublicKeys =
  ({ signingKeys }: Pick<Ports, 'signingKeys'>) =>
  async (): Promise<readonly SigningKey[]> => {
    const keys = await signingKeys.list();
    return keys.filter(({ retiredAt }) => retiredAt === null).toReversed();
  };

/** @throws Error when there is no place for a key, or it cannot be written */
export const rotateSigningKey =
  ({ signer }: Pick<Ports, 'signer'>) =>
  (): Promise<SigningKeyRotation> =>
    signer.rotate();

/** @throws Error when there is no key that can be used, and Refusal `signing_key_conflict` when it is retired */
export const registerSigningKey =
  ({ signer }: Pick<Ports, 'signer'>) =>
  (): Promise<Pick<SigningKey, 'kid'>> =>
    signer.register();

/** @throws Refusal `signing_key_not_found`, `signing_key_conflict` when the key signs now or something depends on it */
export const retireSigningKey =
  ({ clock, signingKeys }: Pick<Ports, 'clock' | 'signingKeys'>) =>
  async (kid: string): Promise<void> => {
    const current = findCurrent(await signingKeys.list());
    ensure(
      kid !== current?.kid,
      'signing_key_conflict',
      `the key ${kid} signs now; rotate it first`,
    );
    const result = await signingKeys.retire(kid, clock.now());
    ensure(result !== 'unknown', 'signing_key_not_found', `there is no signing key ${kid}`);
    ensure(
      result !== 'in_use',
      'signing_key_conflict',
      `values or receipts depend on the key ${kid}; it must stay so that they can be verified`,
    );
  };
