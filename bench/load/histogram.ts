/** Counts durations in classes that are at most 1 % wide, so that ten minutes at full load fit in a few kilobytes. */
export class Histogram {
  readonly #counts = new Float64Array(4_096);
  #total = 0;
  #max = 0;

  add(milliseconds: number): void {
    const index = classOf(milliseconds);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#total += 1;
    if (milliseconds > this.#max) this.#max = milliseconds;
  }

  get total(): number {
    return this.#total;
  }

  get max(): number {
    return this.#max;
  }

  /** The duration that this share of all did not exceed, in milliseconds. */
  quantile(share: number): number {
    const wanted = Math.ceil(share * this.#total);
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted) return Math.min(upperEnd(index), this.#max);
    }
    return this.#max;
  }
}

const shortest = 0.001;
const growth = Math.log(1.01);

function classOf(milliseconds: number): number {
  if (milliseconds <= shortest) return 0;
  return Math.min(4_095, Math.ceil(Math.log(milliseconds / shortest) / growth));
}

const upperEnd = (index: number) => shortest * Math.exp(index * growth);
