import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { AccessTokens } from '#core';
import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';
import { protectedPaths } from './protected-resource.ts';

interface AuthorizationServerSettings extends IssuerKeysOptions {
  /** Of the whole service. */
  readonly audience: string;
  /** The claim with the ID of the API key that the token stands for. */
  readonly keyClaim: string;
  /** The accepted values of `typ`. `JWT` accepts a token without `typ` too. */
  readonly types: readonly string[];
  /** Gets the reason why a token was refused. It never holds the token. */
  readonly onRefusal: (reason: string) => void;
}

/** Signatures that only the authorization server can make: with a shared secret, a public key would be one. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** By how much the clock of the authorization server may differ from ours. */
const clockToleranceSeconds = 60;

/** Creates the check of one authorization server's access tokens. */
export function createAccessTokens(settings: AuthorizationServerSettings): AccessTokens {
  const { issuer, keyClaim, onRefusal } = settings;
  const keys = new IssuerKeys(settings);
  const types = settings.types.map(normalizeType);
  const base = settings.audience.replace(/\/$/, '');
  const expected: JWTVerifyOptions = {
    issuer,
    // A client asks for a token for the resource whose metadata it read.
    audience: [base, `${base}/`, ...protectedPaths.map((path) => base + path)],
    algorithms,
    requiredClaims: ['exp'],
    clockTolerance: clockToleranceSeconds,
  };

  async function readPayload(token: string, currentDate: Date): Promise<JWTPayload | null> {
    try {
      const options = { ...expected, currentDate };
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, options);
      if (types.includes(normalizeType(protectedHeader.typ))) return payload;
      onRefusal(`unexpected "typ" header value${show(protectedHeader.typ)}`);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      onRefusal(reasonOf(error));
    }
    return null;
  }

  return {
    async verify(token, now) {
      const payload = await readPayload(token, now);
      if (payload === null) return null;
      const { exp = 0, scope, scp } = payload;
      const keyId = payload[keyClaim];
      if (typeof keyId !== 'string') {
        onRefusal(`the claim "${keyClaim}" must hold the ID of an API key`);
        return null;
      }
      const expiresAt = new Date((exp + clockToleranceSeconds) * 1_000);
      return { keyId, scopes: scopesIn(scope ?? scp), expiresAt };
    },
  };
}

/** Okta sends no `typ`, which means the same as `JWT`. */
const normalizeType = (typ = 'JWT'): string => typ.toLowerCase().replace(/^application\//, '');

/** Scopes are a text or a list. */
function scopesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : [];
}

/** The library's own words, and the claim that was refused. Issuers and audiences are no secret. */
function reasonOf(error: errors.JOSEError): string {
  if (!(error instanceof errors.JWTClaimValidationFailed)) return error.message;
  const { message, claim, payload } = error;
  return claim === 'iss' || claim === 'aud' ? message + show(payload[claim]) : message;
}

const longestShown = 200;

const show = (value: unknown): string =>
  `: ${JSON.stringify(value ?? null).slice(0, longestShown)}`;
