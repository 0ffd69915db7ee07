import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { AccessTokens } from '#core';
import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';

interface AuthorizationServerSettings extends IssuerKeysOptions {
  /** Of the whole service. */
  readonly audience: string;
  /** The claim that names the id of the API key in whose place a token stands. */
  readonly keyClaim: string;
}

/** Signatures that only the authorization server can make: with a shared secret, a public key would be one. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** By how much its clock may go before ours. */
const clockTolerance = 5;

/** Access tokens of one authorization server, in the form of RFC 9068. */
export function createAccessTokens(settings: AuthorizationServerSettings): AccessTokens {
  const { issuer, keyClaim } = settings;
  const keys = new IssuerKeys(settings);
  // Clients of MCP ask for tokens for the resource that its metadata names, which lies below that of the service.
  const audience = [settings.audience, `${settings.audience.replace(/\/$/, '')}/mcp`];
  const expected = { issuer, audience, typ: 'at+jwt', algorithms, requiredClaims: ['exp'] };

  return {
    async verify(token, now) {
      const options = { ...expected, currentDate: now, clockTolerance };
      const payload = await jwtVerify(token, keys.find, options).then(
        (verified): JWTPayload => verified.payload,
        (error: unknown) => {
          if (error instanceof errors.JOSEError) return null;
          throw error;
        },
      );
      const keyId = payload?.[keyClaim];
      if (typeof payload?.exp !== 'number' || typeof keyId !== 'string') return null;
      const { scope, exp } = payload;
      const scopes = typeof scope === 'string' ? scope.split(' ') : [];
      return { keyId, scopes, expiresAt: new Date(exp * 1000) };
    },
  };
}
