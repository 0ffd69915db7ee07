import { AccessError } from '#core';
import { Places } from './places.ts';

/** Histories and other long lists: what goes beyond the bound shows before the next ones are read. */
const listsAtOnce = 16;

interface Bounds {
  readonly maxReads: number;
  readonly maxRows: number;
}

/** Does a piece of work as soon as there is a place for it. */
type Within = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * How often one request may read, and how many rows, all its operations together; a refusal counts as one. What a
 * document asks for is estimated before it is carried out; how much there is only the data tells.
 */
export class ReadBudget {
  readonly #bounds: Bounds;
  readonly #within: Within;
  readonly #lists = new Places(listsAtOnce);
  #readsTaken = 0;
  #rowsTaken = 0;

  /** @param within shared with the other requests of the key */
  constructor(bounds: Bounds, within: Within) {
    this.#bounds = bounds;
    this.#within = within;
  }

  /** @throws AccessError `query_too_costly`, without reading when there is nothing left */
  async read<Data>(read: () => Promise<Data>, count: (data: Data) => number): Promise<Data> {
    this.#takeRead();
    return this.#within(async () => {
      this.takeRows(0);
      const data = await read();
      this.takeRows(count(data));
      return data;
    });
  }

  /** @throws AccessError `query_too_costly`, without reading when there is nothing left */
  readList<List extends readonly unknown[]>(read: () => Promise<List>): Promise<List> {
    return this.#lists.within(() => this.read(read, (rows) => rows.length));
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
