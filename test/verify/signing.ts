import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key that signs with Node's crypto module, so no signature was made by our verifier or jose. */
export interface SigningKey {
  readonly kid: string;
  readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string };
  readonly privateKey: KeyObject;
}

/** The key in appendix A of RFC 8037. Its private part is public, so it is only used in examples. */
export const exampleKey: SigningKey = {
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  privateKey: createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    },
  }),
};

export function createKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { kid, jwk: publicKey.export({ format: 'jwk' }) as SigningKey['jwk'], privateKey };
}

export const publicJwk = ({ kid, jwk }: SigningKey) => ({ ...jwk, kid, alg: 'EdDSA', use: 'sig' });
export const jwksOf = (...keys: SigningKey[]) => ({ keys: keys.map(publicJwk) });

export const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');

/** Returns a compact JWS of a header and a payload, valid or not. */
export function signTexts(header: string, payload: string | Uint8Array, key: SigningKey): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${encode(sign(null, Buffer.from(input), key.privateKey))}`;
}

export const headerOf = (typ: string, { kid }: SigningKey) =>
  JSON.stringify({ alg: 'EdDSA', kid, typ });

export const signMetric = (payload: object, key: SigningKey) =>
  signTexts(headerOf('metric+jws', key), JSON.stringify(payload), key);

export const signReceipt = (payload: object, key: SigningKey) =>
  signTexts(headerOf('consent-receipt+jws', key), JSON.stringify(payload), key);

export const signHead = (payload: object, key: SigningKey) =>
  signTexts(headerOf('consent-receipts-head+jws', key), JSON.stringify(payload), key);
