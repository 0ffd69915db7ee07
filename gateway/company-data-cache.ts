import { LRUCache } from 'lru-cache';
import type { CompanyAt, CompanyData } from '#core';
import { EventLoopThrottle } from '#http';

type Rows = readonly object[];

/** What the objects of the heap take, for each character of an item's JSON. */
const bytesPerCharacter = 2;

const bytesPerEntry = 500;

/** Rows that were just read, and are yet to be presented, are handed on so many in a turn of the event loop. */
const rowsPerTurn = 2_500;

/**
 * Company data that remembers what it has read, by company, version of its data and question, within so many bytes;
 * what was not asked for longest is forgotten first. The version comes with the decision, which is never remembered, so
 * what has changed is read anew by the next caller, on every process.
 */
export function rememberCompanyData(data: CompanyData, budgetBytes: number): CompanyData {
  const memory = new LRUCache<string, Rows>({ maxSize: budgetBytes });
  const handedOn = new EventLoopThrottle(rowsPerTurn);
  /** Whoever asks while the same is being read gets the same: of this version it is, whoever began. */
  const underWay = new Map<string, Promise<Rows>>();

  async function recall<Read extends Rows>(
    { companyId, dataVersion }: CompanyAt,
    question: string,
    read: () => Promise<Read>,
    texts: 2 | 4 = 2,
  ): Promise<Read> {
    const name = `${companyId} ${dataVersion} ${question}`;
    const found = memory.get(name) ?? (await (underWay.get(name) ?? begin(name, read, texts)));
    return found as Read;
  }

  function begin(name: string, read: () => Promise<Rows>, texts: number): Promise<Rows> {
    const reading = read()
      .then(async (rows) => {
        memory.set(name, rows, { size: estimate(rows, texts) });
        await handedOn.begin(rows.length);
        return rows;
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, reading);
    return reading;
  }

  return {
    latestMetrics: (company) => recall(company, 'latest', () => data.latestMetrics(company), 4),
    metricHistory: (company, key, periods) =>
      recall(company, `history ${key} ${periods?.from ?? ''} ${periods?.to ?? ''}`, () =>
        data.metricHistory(company, key, periods),
      ),
    sources: (company) => recall(company, 'sources', () => data.sources(company)),
    accounts: (company) => recall(company, 'accounts', () => data.accounts(company)),
  };
}

/**
 * By the first item: the items of one answer are alike.
 *
 * @param texts how many presented texts may hold an item: those of REST and of tRPC, of the list and of the item alone
 */
function estimate(rows: Rows, texts: number): number {
  const [first] = rows;
  const characters = first === undefined ? 0 : JSON.stringify(first).length;
  return bytesPerEntry + rows.length * characters * (bytesPerCharacter + texts);
}
