import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { AccessTokens } from '#core';
import { cacheIssuerKeys, type IssuerKeysOptions } from './issuer-keys.ts';
import { protectedPaths } from './protected-resource.ts';

interface AuthorizationServerSettings extends IssuerKeysOptions {
  readonly audience: string;
  readonly keyClaim: string;
  /** The accepted values of the header `typ`. `JWT` also accepts a token without `typ`. */
  readonly types: readonly string[];
  /** Called when a token is refused. The reason never contains the token. */
  readonly onRefusal: (reason: string) => void;
}

/** Only asymmetric algorithms. Otherwise a caller could sign tokens with the public key as a shared secret. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const clockToleranceSeconds = 60;

export function createAccessTokens(settings: AuthorizationServerSettings): AccessTokens {
  const { issuer, keyClaim, onRefusal } = settings;
  const findKey = cacheIssuerKeys(settings);
  const types = settings.types.map(normalizeType);
  const base = settings.audience.replace(/\/$/, '');
  const expected: JWTVerifyOptions = {
    issuer,
    // A client requests a token for the path whose metadata document it has read, so each path is an audience.
    audience: [base, `${base}/`, ...protectedPaths.map((path) => base + path)],
    algorithms,
    requiredClaims: ['exp'],
    clockTolerance: clockToleranceSeconds,
  };

  async function readPayload(token: string, currentDate: Date): Promise<JWTPayload | null> {
    try {
      const options = { ...expected, currentDate };
      const { payload, protectedHeader } = await jwtVerify(token, findKey, options);
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
        onRefusal(`the claim "${keyClaim}" must contain the ID of an API key`);
        return null;
      }
      const expiresAt = new Date((exp + clockToleranceSeconds) * 1_000);
      return { keyId, scopes: scopesIn(scope ?? scp), expiresAt };
    },
  };
}

/** Okta sends no `typ`, which means the same as `JWT`. */
const normalizeType = (typ = 'JWT'): string => typ.toLowerCase().replace(/^application\//, '');

/** Some authorization servers send a list instead of a text. */
function scopesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : [];
}

/** Returns the library's message. Adds the refused issuer or audience, because these two aren't secret. */
function reasonOf(error: errors.JOSEError): string {
  if (!(error instanceof errors.JWTClaimValidationFailed)) return error.message;
  const { message, claim, payload } = error;
  return claim === 'iss' || claim === 'aud' ? message + show(payload[claim]) : message;
}

const longestShown = 200;

const show = (value: unknown): string =>
  `: ${JSON.stringify(value ?? null).slice(0, longestShown)}`;
