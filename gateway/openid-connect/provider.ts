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
  /** The time limit for each request, including the response body. */
  readonly requestSeconds?: number;
}

const defaultRequestSeconds = 5;
/** The time after which the provider's metadata is read again. */
const freshMilliseconds = 3_600_000;
/** The pause after a failed read of the metadata. Meanwhile, further sign-ins don't read the metadata again. */
const retryMilliseconds = 2_000;
const clockToleranceSeconds = 60;

/**
 * Caches the provider's metadata. The first sign-in reads the metadata, and all waiting callers share this read. If a
 * later read fails, the old metadata stays in use. If no metadata is known, the returned function rejects within a few
 * seconds.
 */
export function cacheProvider(settings: ProviderSettings): () => Promise<Configuration> {
  let knownConfiguration: { readonly configuration: Configuration; readonly at: number } | null =
    null;
  let lastFailure: { readonly error: unknown; readonly at: number } | null = null;
  let reading: Promise<Configuration> | null = null;

  function returnKnownOrThrow(error: unknown): Configuration {
    if (knownConfiguration === null) throw error;
    return knownConfiguration.configuration;
  }

  async function read(): Promise<Configuration> {
    try {
      knownConfiguration = {
        configuration: await discoverProvider(settings),
        at: performance.now(),
      };
      lastFailure = null;
      return knownConfiguration.configuration;
    } catch (error) {
      lastFailure = { error, at: performance.now() };
      return returnKnownOrThrow(error);
    }
  }

  return async () => {
    const now = performance.now();
    if (knownConfiguration !== null && now - knownConfiguration.at < freshMilliseconds)
      return knownConfiguration.configuration;
    if (lastFailure !== null && now - lastFailure.at < retryMilliseconds)
      return returnKnownOrThrow(lastFailure.error);
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}

/** Sends the client secret with a method that the provider supports, by default `client_secret_basic`. */
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
      // Also verifies the signature of ID tokens, although TLS already protects them.
      execute: [
        enableNonRepudiationChecks,
        ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
      ],
      timeout: requestSeconds,
      [customFetch]: fetchBounded,
    },
  );
}

/** Returns only the messages of an error and its causes, because other fields may contain tokens and claims. */
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

/** Describes an issuer that differs from the configured issuer. Returns null if the error has another cause. */
function describeOtherIssuer(cause: unknown): string | null {
  const { expected, attribute, claim, body, claims } = Object(cause);
  const otherValue =
    attribute === 'issuer' ? body?.issuer : claim === 'iss' ? claims?.iss : undefined;
  return typeof otherValue === 'string'
    ? `the issuer of the provider is "${otherValue}", but OIDC_ISSUER is "${expected}"`
    : null;
}
