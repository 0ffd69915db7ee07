import { LRUCache } from 'lru-cache';
import type { CompanyAt, CompanyData } from '#core';

type Rows = readonly object[];

/** For each character of an item's JSON: two as objects of the heap, one as a presented body, and one to be sure. */
const bytesPerCharacter = 4;

const bytesPerEntry = 500;

/**
 * Company data that remembers what it has read, by company, version of its data and question, within so many bytes;
 * what was not asked for longest is forgotten first. The version comes with the decision, which is never remembered, so
 * what has changed is read anew by the next caller, on every process.
 */
export function rememberCompanyData(data: CompanyData, budgetBytes: number): CompanyData {
  const memory = new LRUCache<string, Rows>({ maxSize: budgetBytes, sizeCalculation: estimate });

  async function recall<Read extends Rows>(
    { companyId, dataVersion }: CompanyAt,
    question: string,
    read: () => Promise<Read>,
  ): Promise<Read> {
    const name = `${companyId} ${dataVersion} ${question}`;
    const remembered = memory.get(name);
    if (remembered !== undefined) return remembered as Read;
    const rows = await read();
    memory.set(name, rows);
    return rows;
  }

  return {
    latestMetrics: (company) => recall(company, 'latest', () => data.latestMetrics(company)),
    metricHistory: (company, key, periods) =>
      recall(company, `history ${key} ${periods?.from ?? ''} ${periods?.to ?? ''}`, () =>
        data.metricHistory(company, key, periods),
      ),
    sources: (company) => recall(company, 'sources', () => data.sources(company)),
    accounts: (company) => recall(company, 'accounts', () => data.accounts(company)),
  };
}

/** By the first item: the items of one answer are alike. */
function estimate(rows: Rows): number {
  const [first] = rows;
  const characters = first === undefined ? 0 : JSON.stringify(first).length;
  return bytesPerEntry + rows.length * characters * bytesPerCharacter;
}
