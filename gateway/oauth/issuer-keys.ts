import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { AccessError } from '#core';
import { fetchBounded } from '../fetch-bounded.ts';

/** The keys are read again after so long, while those that are known go on being used; */
const freshMilliseconds = 600_000;
/** but not for longer than so. */
const keptMilliseconds = 86_400_000;
/** Whatever tokens are sent, the keys are not read more often. */
const retryMilliseconds = 10_000;

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Called when they could not be read. */
  readonly onProblem: (problem: string) => void;
  /** How long reading them may take. */
  readonly requestMilliseconds?: number;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

interface KnownKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly readAt: number;
}

/**
 * The keys with which an authorization server signs, as it publishes them (RFC 8414, or OpenID Connect Discovery). They
 * are read when the first token comes, once for all who wait. Only a token that is signed by an unknown key waits for
 * them, and never longer than one reading takes.
 */
export class IssuerKeys {
  readonly #options: Omit<IssuerKeysOptions, 'now'>;
  readonly #now: () => number;
  #known: KnownKeys | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor({ now = () => performance.now(), ...options }: IssuerKeysOptions) {
    this.#options = options;
    this.#now = now;
  }

  /** @throws AccessError `service_unavailable` while no keys are known */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const reading = this.#isOlderThan(freshMilliseconds) ? this.#read() : null;
    if (this.#isOlderThan(keptMilliseconds)) await reading;
    const known = this.#requireKnown();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#read();
      return this.#requireKnown().find(header, token);
    }
  };

  #isOlderThan(milliseconds: number): boolean {
    return this.#known === null || this.#now() - this.#known.readAt > milliseconds;
  }

  #requireKnown(): KnownKeys {
    if (this.#known !== null && !this.#isOlderThan(keptMilliseconds)) return this.#known;
    throw new AccessError('service_unavailable', {
      message: 'The authorization server does not answer, so its tokens can’t be checked.',
    });
  }

  /** Resolves in any case, at once when they were asked for a moment ago. */
  async #read(): Promise<void> {
    if (this.#reading === null && this.#now() - this.#triedAt < retryMilliseconds) return;
    this.#reading ??= this.#fetch().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #fetch(): Promise<void> {
    const { issuer, requestMilliseconds = 3_000, onProblem } = this.#options;
    this.#triedAt = this.#now();
    const signal = AbortSignal.timeout(requestMilliseconds);
    try {
      const keys = await fetchKeys(issuer, signal);
      this.#known = { find: createLocalJWKSet(keys), readAt: this.#now() };
    } catch (error) {
      onProblem(String(error));
    }
  }
}

/** @throws Error that says whether the issuer's description or its key set can't be read, or that another issuer answers */
export async function fetchKeys(issuer: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const openId = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: url } = await fetchJson(openId, signal).catch(() =>
    fetchJson(authorizationServerUrl(issuer), signal),
  );
  if (named !== issuer)
    throw new Error(
      `the authorization server calls itself ${named}, and OAUTH_ISSUER is ${issuer}`,
    );
  return fetchJson(String(url), signal) as Promise<object> as Promise<JSONWebKeySet>;
}

/** Between the host and the path, as RFC 8414 has it. */
function authorizationServerUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetchBounded(url, { signal });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}
