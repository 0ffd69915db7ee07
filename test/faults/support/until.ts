import { setTimeout as wait } from 'node:timers/promises';

/**
 * Repeats a check until it returns true. An error counts as false. After the time limit, rejects
 * with the last error.
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
