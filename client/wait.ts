import type { AccessRequest } from '../trpc-adapter/index.ts';
import type { PortfolioAccessCalls, WaitOptions } from './calls.ts';

const shortestPause = 1_000;
const longestPause = 60_000;

/**
 * The opposite of `awaitsDecision` in core/. The rule is repeated, because the client contains no code of the service.
 */
const isDecided = ({ status, pendingScopes, pendingTerms }: AccessRequest) =>
  status !== 'pending' && pendingScopes.length === 0 && !pendingTerms;

/**
 * Uses the stream of changes. Also reads the access request at intervals, because a proxy may hold back the stream.
 *
 * @param isFinal returns true for an error that ends the wait
 */
export async function waitForDecision(
  { accessRequests }: Pick<PortfolioAccessCalls, 'accessRequests'>,
  request: string | Pick<AccessRequest, 'id'>,
  { signal, timeout }: WaitOptions,
  isFinal: (error: unknown) => boolean,
): Promise<AccessRequest> {
  const id = typeof request === 'string' ? request : request.id;
  const limit = timeout === undefined ? [] : AbortSignal.timeout(timeout);
  const ending = AbortSignal.any([limit, signal ?? []].flat());
  const read = () => accessRequests.get.query({ id }, { signal: ending });

  const found = await read().catch((error) => {
    throw ending.aborted ? ending.reason : error;
  });
  if (isDecided(found)) return found;

  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>;
    let pause = shortestPause;

    const resolveIfDecided = (changed: AccessRequest) => {
      if (changed.id === id && isDecided(changed)) end(() => resolve(changed));
    };
    const check = () =>
      read().then(resolveIfDecided, (error) => {
        if (isFinal(error)) end(() => reject(error));
      });
    const poll = async () => {
      pause = Math.min(pause * 1.5, longestPause);
      timer = setTimeout(poll, pause);
      await check();
    };
    const stream = accessRequests.onChange.subscribe(
      {},
      {
        // Reads the access request when the stream starts, because the stream doesn't report an earlier decision.
        onStarted: check,
        onData({ data }) {
          if (data.type !== 'stream.started') resolveIfDecided(data.accessRequest);
        },
        onError: check,
      },
    );
    const rejectAborted = () => end(() => reject(ending.reason));
    function end(settle: () => void): void {
      clearTimeout(timer);
      stream.unsubscribe();
      ending.removeEventListener('abort', rejectAborted);
      settle();
    }
    timer = setTimeout(poll, pause);
    if (ending.aborted) rejectAborted();
    else ending.addEventListener('abort', rejectAborted);
  });
}
