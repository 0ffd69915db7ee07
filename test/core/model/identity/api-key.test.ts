import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  apiKeyPrefix,
  type Cryptography,
  environments,
  isKeyLive,
  isWellFormedKey,
  mintSecret,
  stateOfKey,
} from '#core';
import { nodeCryptography } from '../../../memory/cryptography.ts';
import { liveKey } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

function source(bytes: readonly number[]): Cryptography {
  let position = 0;
  return {
    randomBytes: (count) =>
      Uint8Array.from({ length: count }, () => bytes[position++ % bytes.length] ?? 0),
    sha256: nodeCryptography.sha256,
  };
}

const charactersOf = (secret: string) => secret.slice('svc_sk_live_'.length);

describe('the secret of a new API key', () => {
  test.each(environments)('has the name of the %s environment in its prefix', (environment) => {
    const { secret } = mintSecret(apiKeyPrefix(environment), nodeCryptography);
    expect(secret).toMatch(new RegExp(`^svc_sk_${environment}_[0-9A-Za-z]{32}$`));
    expect(isWellFormedKey(secret)).toBe(true);
  });

  test('is different each time', () => {
    const secrets = Array.from(
      { length: 200 },
      () => mintSecret(apiKeyPrefix('live'), nodeCryptography).secret,
    );
    expect(new Set(secrets).size).toBe(200);
  });

  test('is stored as its SHA-256 digest and a hint with the prefix and the last four characters', () => {
    const { secret, digest, hint } = mintSecret(apiKeyPrefix('test'), nodeCryptography);
    expect(digest).toBe(nodeCryptography.sha256(secret));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(hint).toBe(`svc_sk_test_…${secret.slice(-4)}`);
  });

  test('uses all 62 letters and digits with equal probability', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 248; byte += 1) {
      const character = charactersOf(
        mintSecret(apiKeyPrefix('live'), source([byte])).secret,
      ).charAt(0);
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect([...counts.keys()].join('')).toBe(
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    );
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  test.each([248, 249, 250, 251, 252, 253, 254, 255])(
    'skips the random byte %i, because this byte would make some characters more likely than others',
    (byte) => {
      const { secret } = mintSecret(apiKeyPrefix('live'), source([byte, 61]));
      expect(charactersOf(secret)).toBe('z'.repeat(32));
    },
  );

  test('contains one character per random byte, in the order of the bytes, except for skipped bytes', () => {
    const bytes = fc
      .array(fc.nat({ max: 255 }), { minLength: 32, maxLength: 96 })
      .filter((list) => list.some((byte) => byte < 248));
    fc.assert(
      fc.property(bytes, (list) => {
        const drawn: string[] = [];
        for (let index = 0; drawn.length < 32; index += 1) {
          const byte = list[index % list.length] ?? 0;
          const digit = byte % 62;
          const base = digit < 10 ? 48 : digit < 36 ? 55 : 61;
          if (byte < 248) drawn.push(String.fromCharCode(base + digit));
        }
        expect(charactersOf(mintSecret(apiKeyPrefix('live'), source(list)).secret)).toBe(
          drawn.join(''),
        );
      }),
    );
  });
});

describe('the format of a key', () => {
  const characters = '0123456789abcdefABCDEFxyzXYZ0000';

  test.each([`svc_sk_live_${characters}`, `svc_sk_test_${characters}`])('%s is valid', (key) => {
    expect(isWellFormedKey(key)).toBe(true);
  });

  test.each([
    ['an empty text', ''],
    ['a key with an unknown environment', `svc_sk_prod_${characters}`],
    ['a key without an environment', `svc_sk_${characters}`],
    ['a key with 31 characters after its prefix', `svc_sk_live_${characters.slice(1)}`],
    ['a key with 33 characters after its prefix', `svc_sk_live_${characters}0`],
    ['a key with a hyphen', `svc_sk_live_${characters.slice(1)}-`],
    ['a key with an accented letter', `svc_sk_live_${characters.slice(1)}é`],
    ['a key after a space', ` svc_sk_live_${characters}`],
    ['a key before a line break', `svc_sk_live_${characters}\n`],
    ['a key with a prefix in capital letters', `SVC_SK_LIVE_${characters}`],
  ])('%s is not valid', (_what, credential) => {
    expect(isWellFormedKey(credential)).toBe(false);
  });
});

describe('a key', () => {
  test('works forever if it has no end', () => {
    expect(isKeyLive(liveKey(), later(100_000 * day))).toBe(true);
  });

  test('works until one millisecond before it expires', () => {
    const key = liveKey({ expiresAt: later(day) });
    expect(isKeyLive(key, later(day - 1))).toBe(true);
    expect(isKeyLive(key, later(day))).toBe(false);
    expect(isKeyLive(key, later(day + 1))).toBe(false);
  });

  test('stops working when it is revoked, even on a machine whose clock is behind', () => {
    expect(isKeyLive(liveKey({ revokedAt: start }), start)).toBe(false);
    expect(isKeyLive(liveKey({ revokedAt: later(5000) }), start)).toBe(false);
    expect(isKeyLive(liveKey({ revokedAt: start, expiresAt: later(day) }), start)).toBe(false);
  });
});

describe('the state of a key', () => {
  const now = new Date('2026-11-02T09:30:00.000Z');
  const past = new Date(now.getTime() - 1);
  const future = new Date(now.getTime() + 1);
  const key = { expiresAt: null, revokedAt: null, replacedBy: null };

  test.each([
    ['live', key],
    ['live', { ...key, expiresAt: future }],
    ['rotated', { ...key, expiresAt: future, replacedBy: 'key_next' }],
    ['expired', { ...key, expiresAt: now }],
    ['expired', { ...key, expiresAt: past, replacedBy: 'key_next' }],
    ['revoked', { ...key, revokedAt: past }],
    ['revoked', { ...key, revokedAt: past, expiresAt: past, replacedBy: 'key_next' }],
  ])('is %s for %j', (state, given) => {
    expect(stateOfKey(given, now)).toBe(state);
  });
});
