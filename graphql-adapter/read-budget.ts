import { AccessError } from '#core';

interface Bounds {
  readonly maxReads: number;
  readonly maxRows: number;
}

/** Does a piece of work as soon as the key has a place for it. */
type Within = <T>(work: () => Promise<T>) => Promise<T>;

/** Where one key reads, in all its requests together. */
export interface Lanes {
  readonly reads: Within;
  /** Histories and other long lists: what goes beyond the bound shows before the next ones are read. */
  readonly lists: Within;
}

/**
 * How often one request may read, and how many rows, all its operations together; a refusal counts as one. What a
 * document asks for is estimated before it is carried out; how much there is only the data tells.
 */
export class ReadBudget {
  readonly #bounds: Bounds;
  readonly #lanes: Lanes;
  #readsTaken = 0;
  #rowsTaken = 0;

  constructor(bounds: Bounds, lanes: Lanes) {
    this.#bounds = bounds;
    this.#lanes = lanes;
  }

  /** @throws AccessError `query_too_costly`, without reading when there is nothing left */
  async read<Data>(read: () => Promise<Data>, count: (data: Data) => number): Promise<Data> {
    this.#takeRead();
    return this.#lanes.reads(async () => {
      this.takeRows(0);
      const data = await read();
      this.takeRows(count(data));
      return data;
    });
  }

  /**
   * Looks one thing up, which is no row of a list and none of company data.
   *
   * @throws AccessError `query_too_costly`, without reading when there is nothing left
   */
  find<Data>(read: () => Promise<Data>): Promise<Data> {
    return this.read(read, () => 0);
  }

  /** @throws AccessError `query_too_costly`, without reading when there is nothing left */
  readList<List extends readonly unknown[]>(read: () => Promise<List>): Promise<List> {
    return this.#lanes.lists(() => this.read(read, (rows) => rows.length));
  }

  /** @throws AccessError `query_too_costly` */
  takeRows(count: number): void {
    this.#rowsTaken += count;
    const { maxRows } = this.#bounds;
    if (this.#rowsTaken <= maxRows) return;
    const message = `The request reads more than ${maxRows} rows.`;
    throw new AccessError('query_too_costly', { message });
  }

  #takeRead(): void {
    this.#readsTaken += 1;
    const { maxReads } = this.#bounds;
    if (this.#readsTaken <= maxReads) return;
    const message = `The request reads more than ${maxReads} times.`;
    throw new AccessError('query_too_costly', { message });
  }
}
