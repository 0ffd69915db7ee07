import {
  createTRPCClient,
  httpBatchLink,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '../trpc-adapter/index.ts';
import type { PortfolioAccessCalls, PortfolioAccessClient, Retry, WaitOptions } from './calls.ts';
import { type ApiKeySource, Credential, type Fetch } from './credential.ts';
import { isPortfolioAccessError } from './errors.ts';
import { refuseBusy, retryLink } from './retry-link.ts';
import { isTemporary, RedirectError, subscriptionLink } from './subscription-link.ts';
import { waitForDecision } from './wait.ts';

export type {
  AccessRequestStatus,
  AccessUse,
  CompanyAccess,
  GrantableScope,
} from '../core/index.ts';
export type {
  AccessRecord,
  AccessRecordPage,
  AccessRequest,
  AccessRequestActor,
  AccessRequestChange,
  AccessRequestEvent,
  AccessRequested,
  AccessRequestPage,
  AccessTerms,
  Account,
  ApiKey,
  ApiKeyWithSecret,
  AppRouter,
  ChangedSource,
  Company,
  CompanyDataChange,
  ConsentReceipt,
  ErrorCode,
  ErrorData,
  ErrorType,
  Metric,
  ReceiptsHead,
  Source,
  StreamStart,
  Verification,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookTest,
} from '../trpc-adapter/index.ts';
export type {
  CallOptions,
  PortfolioAccessClient,
  Retry,
  RouterInputs,
  RouterOutputs,
  Subscription,
  SubscriptionOptions,
  WaitOptions,
} from './calls.ts';

export type { ApiKeySource } from './credential.ts';
export { isPortfolioAccessError, type PortfolioAccessError } from './errors.ts';

export interface PortfolioAccessClientOptions {
  /** The base address of the service, for example `https://access.example`. */
  readonly url: string | URL;
  /**
   * The API key, or an access token of an authorization server. It is sent only to `url`. A function is called for the
   * first request, at each reconnect of a subscription, and when the service rejects the key.
   */
  readonly apiKey: ApiKeySource;
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The maximum duration of an HTTP request in milliseconds. Default: 30,000. */
  readonly timeout?: number | undefined;
  /**
   * How often a call is repeated after a temporary error (`rate_limit_exceeded`, `service_unavailable`,
   * `request_conflict`, `idempotency_key_in_use`). The service chooses the delay. Default: 2.
   */
  readonly retries?: number | undefined;
  /**
   * Called before a call is repeated, and before a subscription reconnects. If the callback throws an error, the call
   * fails.
   */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** The maximum number of calls per HTTP request. Default: 20, which is also the default limit of the service. */
  readonly maxBatch?: number | undefined;
}

/** The service limits the bytes of an HTTP body, and a character takes up to three bytes. */
const bodyCharacters = 20_000;

/**
 * Creates a client for a service. Calls made at the same time share an HTTP request, but each call succeeds or fails
 * separately.
 *
 * @throws TypeError if the address, the key or a number is invalid
 */
export function createPortfolioAccessClient(
  options: PortfolioAccessClientOptions,
): PortfolioAccessClient {
  const { url, apiKey, fetch, timeout = 30_000, retries = 2, maxBatch = 20 } = options;
  const { onRetry } = options;
  const credential = new Credential(apiKey);
  if (!(Number.isInteger(maxBatch) && maxBatch > 0)) {
    throw new TypeError('maxBatch must be a whole number, at least 1');
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw new TypeError('retries must be a whole number, at least 0');
  }
  const open = fetchWithoutRedirects(fetch);
  const shared = {
    url: endpointOf(url),
    // Sends inputs in the body, because addresses have a limited length and appear in logs.
    methodOverride: 'POST' as const,
    fetch: fetchWithin((address, init) => credential.send(open, address, init), timeout),
  };
  const events = { url: shared.url, credential, timeout, fetch: open, onRetry };
  const calls: PortfolioAccessCalls = createTRPCClient<AppRouter>({
    links: [
      rejectAborted,
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: subscriptionLink(events),
        false: [
          retryLink(retries, onRetry),
          splitLink({
            // A larger input gets its own HTTP request. A full batch of smaller inputs fits into one body.
            condition: ({ input }) => sizeOf(input) > bodyCharacters / maxBatch,
            true: httpBatchLink({ ...shared, maxItems: 1 }),
            false: httpBatchLink({ ...shared, maxItems: maxBatch }),
          }),
        ],
      }),
    ],
  });
  return Object.create(calls, {
    wait: {
      value: (request: string, options: WaitOptions = {}) =>
        waitForDecision(calls, request, options, isRefusedForGood),
    },
  });
}

function isRefusedForGood(error: unknown): boolean {
  return isPortfolioAccessError(error) && !isTemporary(error.data.code);
}

/** The HTTP request may continue for other calls that share it. */
const rejectAborted: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const { signal } = op;
      const end = () => observer.error(toAbortError(signal?.reason));
      if (signal?.aborted) return end();
      signal?.addEventListener('abort', end, { once: true });
      const subscription = next(op).subscribe(observer);
      return () => {
        signal?.removeEventListener('abort', end);
        subscription.unsubscribe();
      };
    });

/** Programs check for the names `AbortError` and `TimeoutError`. */
function toAbortError(reason: unknown): TRPCClientError<AppRouter> {
  const cause = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
  const name = cause.name === 'TimeoutError' ? cause.name : 'AbortError';
  return Object.assign(TRPCClientError.from(cause), { name });
}

function endpointOf(base: string | URL): URL {
  const url = new URL(base);
  const [, api] = /\/(v1|trpc|graphql|mcp)\/*$/.exec(url.pathname) ?? [];
  if (api) throw new TypeError(`url must be the base address, without /${api}`);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/trpc`;
  url.search = '';
  url.hash = '';
  return url;
}

function sizeOf(input: unknown): number {
  return JSON.stringify(input)?.length ?? 0;
}

/** Runtimes hide the address and the reason in the causes of their errors. */
class ConnectionError extends Error {
  constructor(address: string | URL | Request, cause: unknown) {
    const { origin } = new URL(address instanceof Request ? address.url : address);
    const { cause: inner, message } = cause as Error;
    const { message: reason, code } = (inner ?? {}) as { message?: string; code?: string };
    super(`cannot reach ${origin}: ${reason || code || message}`, { cause });
  }
}

const redirects = [301, 302, 303, 307, 308];

/** A redirect would send the key to another address. */
function fetchWithoutRedirects(fetch: PortfolioAccessClientOptions['fetch']): Fetch {
  return async (address, init) => {
    const sent: RequestInit = { ...init, redirect: 'manual' };
    const response = await (fetch ?? globalThis.fetch)(address, sent).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new ConnectionError(address, error);
    });
    if (response.type === 'opaqueredirect' || redirects.includes(response.status)) {
      throw new RedirectError('the service answered with a redirect: set url to its target');
    }
    return response;
  };
}

function fetchWithin(send: Fetch, timeout: number) {
  return (
    address: string | URL | Request,
    { signal, ...init }: { signal?: AbortSignal | null | undefined } = {},
  ): Promise<Response> => {
    const signals = [AbortSignal.timeout(timeout), signal ?? []].flat();
    return send(address, { ...init, signal: AbortSignal.any(signals) }).then(refuseBusy);
  };
}
