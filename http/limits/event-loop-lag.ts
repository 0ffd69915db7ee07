import { limits } from './limits.ts';

const { sampleMilliseconds } = limits.load;

/** The weight of the newest sample in the moving average. */
const weight = 0.2;

/** Measures how late the event loop runs its timers. The result is a moving average over about a second. */
export class EventLoopLag {
  #dueAt = performance.now() + sampleMilliseconds;
  #milliseconds = 0;
  readonly #timer = setInterval(() => this.#sample(), sampleMilliseconds).unref();

  get milliseconds(): number {
    return this.#milliseconds;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const now = performance.now();
    const late = Math.max(0, now - this.#dueAt);
    this.#milliseconds += weight * (late - this.#milliseconds);
    this.#dueAt = now + sampleMilliseconds;
  }
}
