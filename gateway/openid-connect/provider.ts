import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client';
import { fetchBounded } from '../fetch-bounded.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For each request, including its body. */
  readonly requestSeconds?: number;
}

const defaultRequestSeconds = 5;
/** The provider's description is read again after this time. */
const freshMilliseconds = 3_600_000;
/** The pause after a failure, so that many sign-ins cause one request. */
const retryMilliseconds = 2_000;
const clockToleranceSeconds = 60;

/**
 * Caches the provider's description. The first sign-in reads it, and all waiting callers share the read. If a later read
 * fails, the old description stays in use. The returned function rejects within a few seconds if no description is
 * known.
 */
export function cacheProvider(settings: ProviderSettings): () => Promise<Configuration> {
  let known: { readonly configuration: Configuration; readonly at: number } | null = null;
  let failed: { readonly error: unknown; readonly at: number } | null = null;
  let reading: Promise<Configuration> | null = null;

  function knownOr(error: unknown): Configuration {
    if (known === null) throw error;
    return known.configuration;
  }

  async function read(): Promise<Configuration> {
    try {
      known = { configuration: await discoverProvider(settings), at: performance.now() };
      failed = null;
      return known.configuration;
    } catch (error) {
      failed = { error, at: performance.now() };
      return knownOr(error);
    }
  }

  return async () => {
    const now = performance.now();
    if (known !== null && now - known.at < freshMilliseconds) return known.configuration;
    if (failed !== null && now - failed.at < retryMilliseconds) return knownOr(failed.error);
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}

/** Uses the way of sending the client secret that the provider expects, by default `client_secret_basic`. */
export async function discoverProvider({
  issuer,
  clientId,
  clientSecret,
  requestSeconds = defaultRequestSeconds,
}: ProviderSettings) {
  const url = new URL(issuer);
  return discovery(
    url,
    clientId,
    { client_secret: clientSecret, [clockTolerance]: clockToleranceSeconds },
    (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const authenticate = methods.includes('client_secret_basic')
        ? ClientSecretBasic(clientSecret)
        : ClientSecretPost(clientSecret);
      return authenticate(server, client, body, headers);
    },
    {
      // Verifies the signature of ID tokens, although they come from the provider over TLS.
      execute: [
        enableNonRepudiationChecks,
        ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
      ],
      timeout: requestSeconds,
      [customFetch]: fetchBounded,
    },
  );
}

/** Returns the messages of an error and its causes. Other members may contain tokens and claims. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const {
    message,
    cause,
    code,
    error: oauthError,
  } = error as Error & { code?: string; error?: string };
  const words = [message, oauthError ?? code].filter((each) => each !== undefined).join(' ');
  if (cause instanceof Error) return `${words}: ${describe(cause)}`;
  const issuer = describeOtherIssuer(cause);
  return issuer === null ? words : `${words}: ${issuer}`;
}

/** Describes an issuer that differs from the configured one. Null for another cause. */
function describeOtherIssuer(cause: unknown): string | null {
  const { expected, attribute, claim, body, claims } = Object(cause);
  const otherValue =
    attribute === 'issuer' ? body?.issuer : claim === 'iss' ? claims?.iss : undefined;
  return typeof otherValue === 'string'
    ? `the issuer of the provider is "${otherValue}", but OIDC_ISSUER is "${expected}"`
    : null;
}
