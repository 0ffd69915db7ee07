import {
  createTRPCClient,
  httpBatchLink,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter, ErrorData } from '../trpc-adapter/index.ts';
import type { PortfolioAccessCalls, PortfolioAccessClient, Retry, WaitOptions } from './calls.ts';
import { refuseBusy, retryLink } from './retry-link.ts';
import { isTemporary, RedirectError, subscriptionLink } from './subscription-link.ts';
import { waitForDecision } from './wait.ts';

export type {
  AccessRequestStatus,
  CompanyAccess,
  GrantableScope,
} from '../core/index.ts';
export type {
  AccessRequest,
  AccessRequestActor,
  AccessRequestChange,
  AccessRequestEvent,
  AccessRequested,
  AccessRequestPage,
  Account,
  AppRouter,
  Company,
  CompanyDataChange,
  ConsentReceipt,
  ErrorCode,
  ErrorData,
  ErrorType,
  Metric,
  ReceiptsHead,
  Source,
  Verification,
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

export interface PortfolioAccessClientOptions {
  /** The base address of the service, as in `https://access.example`. */
  readonly url: string | URL;
  /** Sent to that address and to no other. */
  readonly apiKey: string;
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

/** A refusal of the service: `data.code` says why. */
export interface PortfolioAccessError extends Error {
  readonly data: ErrorData;
}

/** Whether the service itself refused; any other error never came as far as that. */
export function isPortfolioAccessError(error: unknown): error is PortfolioAccessError {
  // By its name: a program may hold this module twice, as one that is imported and one that is required.
  return (
    error instanceof Error &&
    error.name === 'TRPCClientError' &&
    (error as Partial<PortfolioAccessError>).data?.code !== undefined
  );
}

/** The service refuses more, in bytes; a character takes up to three. */
const bodyCharacters = 20_000;

/**
 * tRPC's client for a service and a key. Calls of the same moment travel in one request, and are refused or answered
 * each for itself.
 *
 * @throws TypeError when the address or the key cannot be one, or a number makes no sense
 */
export function createPortfolioAccessClient(
  options: PortfolioAccessClientOptions,
): PortfolioAccessClient {
  const { url, apiKey, fetch, timeout = 30_000, retries = 2, maxBatch = 20 } = options;
  const { onRetry } = options;
  // A runtime would show the whole key when it complains about such a header.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be the key alone, without spaces or line breaks');
  }
  if (!(Number.isInteger(maxBatch) && maxBatch > 0)) {
    throw new TypeError('maxBatch must be a whole number, at least 1');
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw new TypeError('retries must be a whole number, at least 0');
  }
  const shared = {
    url: endpointOf(url),
    headers: { authorization: `Bearer ${apiKey}` },
    // Inputs stand in no address, which has its limits and is written to logs.
    methodOverride: 'POST' as const,
    fetch: fetchWithin(fetch, timeout),
  };
  const { headers } = shared;
  const open = fetchWithoutRedirects(fetch);
  const events = { url: shared.url, headers, timeout, fetch: open, onRetry };
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
      const end = () => observer.error(TRPCClientError.from(toError(signal?.reason)));
      if (signal?.aborted) return end();
      signal?.addEventListener('abort', end, { once: true });
      const subscription = next(op).subscribe(observer);
      return () => {
        signal?.removeEventListener('abort', end);
        subscription.unsubscribe();
      };
    });

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the call was given up', { cause: reason });
}

function endpointOf(base: string | URL): URL {
  const url = new URL(base);
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

function fetchWithin(fetch: PortfolioAccessClientOptions['fetch'], timeout: number) {
  const send = fetchWithoutRedirects(fetch);
  return (
    address: string | URL | Request,
    { signal, ...init }: { signal?: AbortSignal | null | undefined } = {},
  ): Promise<Response> => {
    const signals = [AbortSignal.timeout(timeout), signal ?? []].flat();
    return send(address, { ...init, signal: AbortSignal.any(signals) }).then(refuseBusy);
  };
}
