import type { Counter } from '@prometheus-io/client';

/** What divides the values of labels in a key; none of them holds it. */
const divider = '\n';

/**
 * Counts by labels. The library's own counters look into their labels at each count, which costs more than all else that
 * is counted for a request; here that is done when somebody reads them.
 */
export class Tally<Label extends string> {
  readonly labelNames: Label[];
  readonly #counts = new Map<string, number>();

  constructor(labelNames: readonly Label[]) {
    this.labelNames = [...labelNames];
  }

  add(...values: readonly string[]): void {
    const key = values.join(divider);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Gives the counter these counts in the place of its own. */
  writeTo(counter: Counter<Label>): void {
    counter.reset();
    for (const [key, count] of this.#counts) {
      const values = key.split(divider);
      const labels = this.labelNames.map((name, index) => [name, values[index] ?? '']);
      counter.inc(Object.fromEntries(labels), count);
    }
  }
}
