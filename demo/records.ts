import type { DemoCompany } from './companies.ts';
import { completeMonths, type Month, simulateHistory } from './history.ts';
import { metricRecords } from './metrics.ts';
import { accountRecords, sourceRecords } from './sources-and-accounts.ts';

const historyMonths = 24;

/** Yields the import lines of the last two years, up to the last complete month. */
export async function* demoLines(
  companies: readonly DemoCompany[],
  today: Date,
): AsyncGenerator<string> {
  const months = completeMonths(historyMonths, today);
  for (const company of companies) {
    for (const record of companyRecords(company, months)) yield JSON.stringify(record);
  }
}

function* companyRecords(company: DemoCompany, months: readonly Month[]): Generator<object> {
  const history = simulateHistory(company, months.length);
  for (const [index, figures] of history.entries()) {
    const month = months[index] as Month;
    yield* metricRecords(company, figures, month);
    if (index < months.length - 1) continue;
    yield* sourceRecords(company, month);
    yield* accountRecords(company, figures, month);
  }
}
