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
import { type ApiKeySource, Credential } from './credential.ts';
import { isPortfolioAccessError } from './errors.ts';
import { refuseBusy, retryLink } from './retry-link.ts';
import { isTemporary, RedirectError, subscriptionLink } from './subscription-link.ts';
import { waitForDecision } from './wait.ts';

export type {
  AccessRequestStatus,
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
  /** The base address of the service, as in `https://access.example`. */
  readonly url: string | URL;
  /**
   * The key, or a token of an authorization server. It's sent to that address and to no other. A function is called for
   * the first request, at each reconnect of a subscription, and when the service refuses the key.
   */
  readonly apiKey: ApiKeySource;
  /** Takes the place of the runtime's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds after which a request is given up; 30,000 when nothing is said. */
  readonly timeout?: number | undefined;
  /**
   * How often a call is made again that the service refuses for the moment (`rate_limit_exceeded`, `service_unavailable`,
   * `request_conflict`, `idempotency_key_in_use`), each time after the time that the service names; 2 when nothing is
   * said, 0 for never.
   */
  readonly retries?: number | undefined;
  /** Called before each such wait, and before a lost subscription comes again. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** The most calls that one request holds; 20, as the service allows by default, when nothing is said. */
  readonly maxBatch?: number | undefined;
}

/** The service refuses more, in bytes; a character takes up to three. */
const bodyCharacters = 20_000;

/**
 * tRPC's client for a service and a key. Calls of the same moment travel in one request, and are refused or answered
 * each for itself.
 *
 * @throws TypeError if the address or the key can't be one, or a number makes no sense
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
    // Inputs stand in no address, which has its limits and is written to logs.
    methodOverride: 'POST' as const,
    fetch: fetchWithin((address, init) => credential.send(open, address, init), timeout),
  };
  const events = { url: shared.url, credential, timeout, fetch: open, onRetry };
  const calls: PortfolioAccessCalls = createTRPCClient<AppRouter>({
    links: [
      giveUp,
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: subscriptionLink(events),
        false: [
          retryLink(retries, onRetry),
          splitLink({
            // Any batch of what is left fits into a body.
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

/** A call that is given up ends for its caller at once, whatever other calls its request goes on for. */
const giveUp: TRPCLink<AppRouter> =
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

/** An error of tRPC with the name that programs look for. */
function toAbortError(reason: unknown): TRPCClientError<AppRouter> {
  const cause = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
  const name = cause.name === 'TimeoutError' ? cause.name : 'AbortError';
  return Object.assign(TRPCClientError.from(cause), { name });
}

function endpointOf(base: string | URL): URL {
  const url = new URL(base);
  const [, api] = /\/(v1|trpc|graphql|mcp)\/*$/.exec(url.pathname) ?? [];
  if (api) throw new TypeError(`url is the base address, without /${api}`);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/trpc`;
  url.search = '';
  url.hash = '';
  return url;
}

function sizeOf(input: unknown): number {
  return JSON.stringify(input)?.length ?? 0;
}

/** Says what could not be reached, which the runtimes don't, and why, which they keep in causes. */
class ConnectionError extends Error {
  constructor(address: string | URL | Request, cause: unknown) {
    const { origin } = new URL(address instanceof Request ? address.url : address);
    const { cause: inner, message } = cause as Error;
    const { message: reason, code } = (inner ?? {}) as { message?: string; code?: string };
    super(`cannot reach ${origin}: ${reason || code || message}`, { cause });
  }
}

const redirects = [301, 302, 303, 307, 308];

/** The key goes where it was meant for: a redirect is not followed. */
function fetchWithoutRedirects(fetch: PortfolioAccessClientOptions['fetch']) {
  return async (address: string | URL | Request, init: RequestInit): Promise<Response> => {
    const sent: RequestInit = { ...init, redirect: 'manual' };
    const response = await (fetch ?? globalThis.fetch)(address, sent).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new ConnectionError(address, error);
    });
    if (response.type === 'opaqueredirect' || redirects.includes(response.status)) {
      throw new RedirectError(
        'the service answers with a redirect: give the address that it leads to',
      );
    }
    return response;
  };
}

function fetchWithin(send: ReturnType<typeof fetchWithoutRedirects>, timeout: number) {
  return (
    address: string | URL | Request,
    { signal, ...init }: { signal?: AbortSignal | null | undefined } = {},
  ): Promise<Response> => {
    const signals = [AbortSignal.timeout(timeout), signal ?? []].flat();
    return send(address, { ...init, signal: AbortSignal.any(signals) }).then(refuseBusy);
  };
}
