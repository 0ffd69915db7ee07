import { AccessError } from '#core';

/** Histories that one request reads at a time: what goes beyond the bound shows before the next ones are read. */
const historiesAtOnce = 16;

/**
 * How many rows of company data one request may read, all its operations together; a refusal counts as one. What a
 * document asks for is estimated before it is carried out; how much there is only the data tells.
 */
export class RowBudget {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #reading = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws AccessError `query_too_costly` */
  take(count: number): void {
    this.#taken += count;
    if (this.#taken <= this.#max) return;
    const message = `The request reads more than ${this.#max} rows of company data.`;
    throw new AccessError('query_too_costly', { message });
  }

  /** @throws AccessError `query_too_costly`, without reading when there is nothing left */
  async readHistory<Row>(read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    if (this.#reading < historiesAtOnce) this.#reading += 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      this.take(0);
      const rows = await read();
      this.take(rows.length);
      return rows;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading -= 1;
    }
  }
}
