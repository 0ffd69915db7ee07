import { setTimeout as wait } from 'node:timers/promises';

/**
 * Repeats the check, with a pause, until it is true. An error counts as false. Rejects with the last error after the
 * time limit.
 */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  milliseconds = 30_000,
  pause = 20,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    let cause: unknown;
    try {
      if (await isSo()) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`it was not so within ${milliseconds} ms: ${isSo}`, { cause });
    }
    await wait(pause);
  }
}
