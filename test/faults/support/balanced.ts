import type { Call, Outcome, Traffic } from './traffic.ts';
import { startTraffic } from './traffic.ts';

/**
 * Callers without a balancer. A caller uses the next process if one refuses the connection. Every
 * other result is an outcome, and no call is sent twice.
 */
export function startBalanced<C extends Call>(
  ports: readonly number[],
  callers: number,
  calls: readonly C[],
): Traffic<C> {
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const places = Array.from({ length: callers }, (_, caller) => caller % urls.length);
  let position = 0;
  return startTraffic<C>(
    urls,
    callers,
    () => {
      position = (position + 1) % calls.length;
      return calls[position] ?? null;
    },
    {
      cursorOf: (caller) => places[caller] ?? 0,
      isMissed(caller, outcome) {
        if (!isRefused(outcome)) return false;
        places[caller] = ((places[caller] ?? 0) + 1) % urls.length;
        return true;
      },
    },
  );
}

const isRefused = ({ error }: Outcome): boolean =>
  (error as { code?: unknown } | undefined)?.code === 'ECONNREFUSED';
