import type { DemoCompany } from './companies.ts';
import { accountRecords, sourceRecords } from './connections.ts';
import { tellHistory } from './history.ts';
import { metricRecords } from './metrics.ts';
import { completeMonths } from './month.ts';

const historyMonths = 24;

/** The data of the companies as lines of an import: two years that end with the last complete month. */
export async function* demoLines(
  companies: readonly DemoCompany[],
  today: Date,
): AsyncGenerator<string> {
  for (const company of companies) {
    for (const record of companyRecords(company, today)) yield JSON.stringify(record);
  }
}

function* companyRecords(company: DemoCompany, today: Date): Generator<object> {
  const history = tellHistory(company, historyMonths);
  for (const [index, month] of completeMonths(historyMonths, today).entries()) {
    const figures = history[index];
    if (figures === undefined) continue;
    yield* metricRecords(company, figures, month);
    if (index < historyMonths - 1) continue;
    yield* sourceRecords(company, month);
    yield* accountRecords(company, figures, month);
  }
}
