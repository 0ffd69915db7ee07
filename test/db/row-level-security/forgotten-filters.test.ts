import { expect, test } from 'vitest';
import type { Statement } from '../../../db/connections/store.ts';
import { statements as requests } from '../../../db/statements/access-requests.ts';
import { statements as data } from '../../../db/statements/company-data.ts';
import { asOfNow } from '../../support/call.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { useWorld } from './world.ts';

const now = new Date();
const periods = { from: null, to: null };

/** Returns the same statement with one text replaced. */
const altered = <Result>(
  statement: Statement<Result>,
  text: string | RegExp,
  other: string,
): Statement<Result> => ({
  compile(provider) {
    const compiled = statement.compile(provider);
    const sql = compiled.sql.replace(text, other);
    if (sql === compiled.sql) throw new Error(`the statement has no ${text}`);
    return { ...compiled, sql };
  },
});

const history = (companyId: string) => ({ ...asOfNow(companyId), key: 'cash_balance', periods });
const page = (companyId: string) => ({ companyId, now, before: null, limit: 100 });
const forgetful: Record<
  string,
  (id: string) => [whole: Statement<object>, broken: Statement<object>]
> = {
  latestMetrics: (id) => [
    data.latestMetrics([id]),
    altered(
      data.latestMetrics([id]),
      'series.company_id = any($1',
      '$1::text[] is not null or key = any($1',
    ),
  ],
  metricHistory: (id) => [
    data.metricHistory([history(id)]),
    altered(data.metricHistory([history(id)]), 'series.company_id = question.company_id', 'true'),
  ],
  metricRevisions: (id) => [
    data.metricRevisions([history(id)]),
    altered(data.metricRevisions([history(id)]), 'series.company_id = question.company_id', 'true'),
  ],
  sources: (id) => [
    data.sources([id]),
    altered(
      data.sources([id]),
      'company_id = any($1',
      '$1::text[] is not null or provider = any($1',
    ),
  ],
  accounts: (id) => [
    data.accounts([id]),
    altered(
      data.accounts([id]),
      'company_id = any($1',
      '$1::text[] is not null or provider = any($1',
    ),
  ],
  waiting: (id) => [
    requests.waiting(page(id)),
    altered(requests.waiting(page(id)), 'access_request.company_id = $1', '$1::text is not null'),
  ],
  countOfWaiting: (id) => [
    requests.countOfWaiting(page(id)),
    altered(requests.countOfWaiting(page(id)), 'company_id = $1', '$1::text is not null'),
  ],
  askingInvestors: (id) => [
    requests.requestingInvestors(id, 100),
    altered(requests.requestingInvestors(id, 100), /company_id = (\$\d)/g, '$1::text is not null'),
  ],
};

await describeOnPostgres('a statement without its filter', (createDatabase) => {
  const { world, ways } = useWorld(createDatabase);

  test.each(Object.keys(forgetful))('returns the same rows in a scope: %s', async (name) => {
    const company = world().neighbours.companies[0];
    const [whole, broken] = forgetful[name]?.(company) ?? [];
    if (whole === undefined || broken === undefined) throw new Error('no statement');
    const inAnyOrder = (rows: readonly object[]) =>
      rows.map((row) => JSON.stringify(row)).toSorted();
    for (const [, begin] of ways) {
      const runner = begin(world().roles.serviceUrl);
      const scoped = runner.scoped({ companies: [company] });
      const own = inAnyOrder(await scoped.run(whole));
      expect(own.length).toBeGreaterThan(0);
      expect(inAnyOrder(await scoped.run(broken))).toEqual(own);
      expect(inAnyOrder(await runner.run(broken))).not.toEqual(own);
    }
  });
});
