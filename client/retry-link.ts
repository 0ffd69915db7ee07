import { TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter, ErrorData } from '../trpc-adapter/index.ts';
import type { Retry } from './calls.ts';

/** In milliseconds. Used if the service names no delay. */
export const backOff = (failures: number): number => Math.min(500 * 2 ** failures, 30_000);

/** After these temporary errors, every call can be repeated safely. */
const temporaryCodes: readonly ErrorData['code'][] = [
  'rate_limit_exceeded',
  'service_unavailable',
  'request_conflict',
  'idempotency_key_in_use',
];

export function retryLink(
  retries: number,
  onRetry: ((retry: Retry) => void) | undefined,
): TRPCLink<AppRouter> {
  // Varies the delay per client. If the service rejects many clients at once, they come back at different times. All
  // calls of one client have the same delay, so that they share an HTTP request again.
  const spread = 1 + Math.random() / 10;

  return () =>
    ({ op, next }) =>
      observable((observer) => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        let current = { unsubscribe() {} };

        const attempt = (attempts: number) => {
          current = next(op).subscribe({
            ...observer,
            error(error) {
              const pause = attempts < retries ? pauseAfter(error, attempts) : null;
              if (pause === null) return observer.error(error);
              const delay = Math.ceil(pause * spread);
              try {
                onRetry?.({ path: op.path, attempt: attempts + 1, delay, reason: error });
              } catch (thrown) {
                return observer.error(TRPCClientError.from(thrown as Error));
              }
              timer = setTimeout(() => attempt(attempts + 1), delay);
            },
          });
        };
        attempt(0);
        return () => {
          clearTimeout(timer);
          current.unsubscribe();
        };
      });
}

/** In milliseconds. Null if another attempt can't help. */
function pauseAfter({ cause, data }: TRPCClientError<AppRouter>, attempts: number): number | null {
  const isTemporary =
    cause instanceof BusyError || (data != null && temporaryCodes.includes(data.code));
  if (!isTemporary) return null;
  const seconds = cause instanceof BusyError ? cause.retryAfterSeconds : data?.retryAfterSeconds;
  return seconds === undefined ? backOff(attempts) : seconds * 1000;
}

/** An overloaded proxy answered instead of the service. */
class BusyError extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, headers }: Response) {
    super(`the service answered with the status ${status}`);
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = seconds >= 0 ? seconds : undefined;
  }
}

/** @throws BusyError if the response is from an overloaded proxy, not from the service */
export function refuseBusy(response: Response): Response {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (!isJson && (response.status === 429 || response.status === 503)) {
    throw new BusyError(response);
  }
  return response;
}
