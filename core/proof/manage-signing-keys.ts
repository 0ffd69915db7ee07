import { ensure } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { SigningKey, SigningKeyRotation } from './ports.ts';

type KeyPorts = Pick<Ports, 'clock' | 'signer' | 'signingKeys'>;

export type SigningKeyState = 'current' | 'previous' | 'retired';

export interface ListedSigningKey extends SigningKey {
  /** `current` signs what is new, as this process sees it; what `previous` keys have signed still verifies. */
  readonly state: SigningKeyState;
}

/** By number, which is the order in which they were registered. */
export const listSigningKeys =
  ({ signer, signingKeys }: KeyPorts) =>
  async (): Promise<readonly ListedSigningKey[]> => {
    const current = await signer.current();
    const keys = await signingKeys.list();
    return keys.map((key) => ({ ...key, state: stateOf(key, current?.kid ?? null) }));
  };

function stateOf({ kid, retiredAt }: SigningKey, current: string | null): SigningKeyState {
  if (retiredAt !== null) return 'retired';
  return kid === current ? 'current' : 'previous';
}

/** The public keys with which whatever is served can be verified. */
export const listPublicKeys =
  ({ signingKeys }: Pick<Ports, 'signingKeys'>) =>
  async (): Promise<readonly SigningKey[]> => {
    const keys = await signingKeys.list();
    return keys.filter(({ retiredAt }) => retiredAt === null);
  };

/** @throws OperatorError when there is no place for a key, or it cannot be written */
export const rotateSigningKey =
  ({ signer }: KeyPorts) =>
  (): Promise<SigningKeyRotation> =>
    signer.rotate();

/** @throws OperatorError when the key signs now, when something depends on it, or when there is none */
export const retireSigningKey =
  ({ clock, signer, signingKeys }: KeyPorts) =>
  async (kid: string): Promise<void> => {
    const current = await signer.current();
    ensure(kid !== current?.kid, 'conflict', `the key ${kid} signs now; rotate it first`);
    const result = await signingKeys.retire(kid, clock.now());
    ensure(result !== 'unknown', 'not_found', `there is no signing key ${kid}`);
    ensure(
      result !== 'in_use',
      'conflict',
      `values or receipts depend on the key ${kid}; it must stay so that they can be verified`,
    );
  };
