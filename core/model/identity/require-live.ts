import { AccessError } from '../errors.ts';
import { isKeyLive, type KeyValidity } from './key-state.ts';

/** @throws AccessError `invalid_api_key` if the key was revoked, has expired or doesn't exist */
export function requireLive<Validity extends KeyValidity>(
  key: Validity | null,
  now: Date,
): asserts key is Validity {
  if (key === null || !isKeyLive(key, now)) throw new AccessError('invalid_api_key');
}
