import { TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { AppRouter } from '../trpc-adapter/index.ts';
import type { Retry } from './calls.ts';
import type { Credential, Fetch } from './credential.ts';
import { isPortfolioAccessError } from './errors.ts';
import { backOff } from './retry-link.ts';

interface SubscriptionLinkOptions {
  readonly url: URL;
  readonly credential: Credential;
  readonly fetch: Fetch;
  /** The maximum time until the response starts, in milliseconds. */
  readonly timeout: number;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/** The service sends something every 15 seconds. After a longer silence than this, the connection counts as lost. */
const silenceMilliseconds = 45_000;

const refusedKey = 'invalid_api_key';

type Outcome = 'completed' | 'lost';

interface Connection {
  readonly path: string;
  readonly body: string;
  readonly stopping: AbortSignal;
  readonly onMessage: (message: EventSourceMessage) => Outcome | undefined;
  readonly onKey: (key: string) => void;
}

/** Contains the delay before the next attempt, if the service names one. */
class Unavailable extends Error {
  readonly milliseconds: number | undefined;

  constructor(cause: Error, milliseconds?: number) {
    super(cause.message, { cause });
    this.milliseconds = milliseconds;
  }
}

/**
 * Replaces tRPC's own link for subscriptions. That link needs an EventSource, which Node lacks and which can't send a
 * key. After a lost connection, this link reconnects and continues after the last received event. It stops if the
 * caller unsubscribes or the service rejects the subscription.
 */
export const subscriptionLink =
  (options: SubscriptionLinkOptions): TRPCLink<AppRouter> =>
  () =>
  ({ op }) =>
    observable((observer) => {
      const stopping = new AbortController();
      const { signal } = stopping;
      const { credential, onRetry } = options;
      const input = (op.input ?? {}) as { lastEventId?: string | null };
      let lastEventId = input.lastEventId;
      let losses = 0;
      let isKeyNew = false;
      let sentKey = '';

      const onMessage = ({ event, id, data }: EventSourceMessage): Outcome | undefined => {
        if (event === undefined || event === 'ping') losses = 0;
        if (event === 'connected') {
          isKeyNew = false;
          observer.next({ result: { type: 'started' } });
        } else if (event === 'return') return 'completed';
        else if (event === 'serialized-error') throw refusalOf(JSON.parse(data));
        else if (event === undefined && id !== undefined) {
          lastEventId = id;
          observer.next({ result: { type: 'data', id, data: { id, data: JSON.parse(data) } } });
        }
        return undefined;
      };

      async function run(): Promise<void> {
        while (!signal.aborted) {
          let retryAfter = 0;
          let reason = new Error('the connection was lost');
          try {
            const body = JSON.stringify({ ...input, lastEventId });
            const onKey = (key: string) => {
              sentKey = key;
            };
            const watch = { path: op.path, body, stopping: signal, onMessage, onKey };
            if ((await connect(options, watch)) === 'completed') break;
          } catch (error) {
            if (isFinal(error)) {
              // If the service rejects the new key too, the subscription ends.
              const isRefused = isPortfolioAccessError(error) && error.data.code === refusedKey;
              if (isKeyNew || !isRefused || !(await credential.replace(sentKey))) throw error;
              isKeyNew = true;
            }
            if (error instanceof Unavailable) retryAfter = error.milliseconds ?? 0;
            reason = error as Error;
          }
          if (signal.aborted) break;
          const pause = backOff(losses);
          losses += 1;
          // Varies the delay, so that clients that lose their connections at once reconnect at different times.
          const delay = Math.ceil(Math.max(retryAfter, pause * (0.5 + Math.random() / 2)));
          onRetry?.({ path: op.path, attempt: losses, delay, reason });
          await sleep(delay, signal);
          if (!isKeyNew) credential.forget();
        }
        observer.next({ result: { type: 'stopped' } });
        observer.complete();
      }
      run().catch((error: unknown) => observer.error(TRPCClientError.from(error as Error)));
      return () => stopping.abort();
    });

async function connect(
  { url, credential, fetch, timeout }: SubscriptionLinkOptions,
  { path, body, stopping, onMessage, onKey }: Connection,
): Promise<Outcome> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), milliseconds);
  };
  try {
    wait(timeout);
    const request: RequestInit = {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([stopping, silence.signal]),
    };
    const response = await credential.send(fetch, new URL(`${url}/${path}`), request, onKey);
    if (!response.ok || !response.body) throw await readRefusal(response);
    let outcome: Outcome | undefined;
    const parser = createParser({
      onEvent(message) {
        outcome ??= onMessage(message);
      },
    });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    try {
      while (outcome === undefined) {
        wait(silenceMilliseconds);
        const { done, value } = await reader.read();
        if (done) return 'lost';
        parser.feed(decoder.decode(value, { stream: true }));
      }
      return outcome;
    } finally {
      reader.cancel().catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function readRefusal(response: Response): Promise<Error> {
  const { error } = await response.json().catch(() => ({}));
  if (error?.data) return refusalOf(error);
  const unknown = new TRPCClientError(`the service answered with the status ${response.status}`);
  return response.status < 500 ? unknown : new Unavailable(unknown);
}

/** After these errors, a subscription reconnects. */
const temporary = ['service_unavailable', 'internal_error', 'rate_limit_exceeded'];

export const isTemporary = (code: string): boolean => temporary.includes(code);

function refusalOf(shape: { data?: { code?: string; retryAfterSeconds?: number } }): Error {
  const error = TRPCClientError.from({ error: shape } as never);
  const { code = '', retryAfterSeconds } = shape?.data ?? {};
  return isTemporary(code)
    ? new Unavailable(error, retryAfterSeconds && retryAfterSeconds * 1000)
    : error;
}

/** Reconnecting can't help if the service rejected or redirected the subscription. */
function isFinal(error: unknown): boolean {
  return error instanceof TRPCClientError || error instanceof RedirectError;
}

export class RedirectError extends Error {}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
