import { setTimeout as wait } from 'node:timers/promises';

/** Asks again, after a pause, until it is so; an error counts as a no. Rejects with the last one when it takes too long. */
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
