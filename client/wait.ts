import type { AccessRequest } from '../trpc-adapter/index.ts';
import type { PortfolioAccessCalls, WaitOptions } from './calls.ts';

const shortestPause = 1_000;
const longestPause = 60_000;

/**
 * Whether the company has nothing left to decide on: the opposite of core's `awaitsDecision`, written again because the
 * client has the types of the service and none of its code.
 */
const isDecided = ({ status, pendingScopes }: AccessRequest) =>
  status !== 'pending' && pendingScopes.length === 0;

/**
 * Waits for the company. The stream of changes tells at once; because a proxy may hold a stream back without a word, the
 * request is looked at from time to time as well.
 *
 * @param isFinal whether the service has refused for good
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

    const look = (changed: AccessRequest) => {
      if (changed.id === id && isDecided(changed)) end(() => resolve(changed));
    };
    const ask = () =>
      read().then(look, (error) => {
        if (isFinal(error)) end(() => reject(error));
      });
    const poll = async () => {
      pause = Math.min(pause * 1.5, longestPause);
      timer = setTimeout(poll, pause);
      await ask();
    };
    const stream = accessRequests.onChange.subscribe(
      {},
      {
        // What was decided before the stream began is not told by it.
        onStarted: ask,
        onData({ data }) {
          if (data.type !== 'stream.started') look(data.accessRequest);
        },
        onError: ask,
      },
    );
    const giveUp = () => end(() => reject(ending.reason));
    function end(settle: () => void): void {
      clearTimeout(timer);
      stream.unsubscribe();
      ending.removeEventListener('abort', giveUp);
      settle();
    }
    timer = setTimeout(poll, pause);
    if (ending.aborted) giveUp();
    else ending.addEventListener('abort', giveUp);
  });
}
