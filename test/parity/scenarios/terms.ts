import { expect } from 'vitest';
import { importLines, type Portfolio } from '../../support/fixtures.ts';
import { type GivenData, givenData } from '../company-data.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Given, Topic } from '../scenario.ts';
import { expectWay } from './next-steps.ts';

/** These limits leave out two metrics and one period of `cash_balance`. */
const limits = { metricKeys: ['cash_balance', 'zero'], historyFrom: '2026-09-30' };

export interface Limited extends Portfolio {
  readonly requestId: string;
  readonly all: GivenData;
  readonly allowed: Pick<GivenData, 'latest' | 'history'>;
  readonly otherKey: string;
}

/** A company with data, a grant without limits, and another investor's grant under the limits. */
export async function limited({
  fixtures,
  operator,
}: Pick<Given, 'fixtures' | 'operator'>): Promise<Limited> {
  const made = await fixtures.portfolio();
  const { company } = made;
  const all = givenData(company.id);
  await importLines(operator, all.lines);
  const request = await fixtures.grant(made);
  const { accessRequest } = await operator.narrowAccessRequest({ id: request.id, terms: limits });

  const other = await fixtures.investor();
  await operator.addToPortfolio({ investorId: other.id, companyId: company.id });
  const { key: otherKey } = await fixtures.key(other);
  await fixtures.grant({ key: otherKey, company });
  const allowed = {
    latest: all.latest.filter(({ key }) => limits.metricKeys.includes(key)),
    history: all.history.filter(({ period }) => period >= limits.historyFrom),
  };
  return { ...made, requestId: accessRequest.id, all, allowed, otherKey };
}

/** Tests of the core check the rules of terms. These scenarios check that each read of each protocol applies them. */
export const terms: Topic = {
  title: 'a grant with terms',
  scenarios: [
    {
      name: 'each read leaves out the metrics and periods outside the terms, and shows them to another investor',
      async run(given) {
        const { driver } = given;
        const { key, company, all, allowed, otherKey } = await limited(given);
        const read = async (as: string) => ({
          latest: dataOf(await driver.readLatestMetrics(as, company.id)),
          history: dataOf(await driver.readMetricHistory(as, company.id, 'cash_balance')),
        });
        // One investor fills each cache, and the other one uses it.
        for (const round of ['filled', 'used']) {
          expect(await read(otherKey), round).toEqual({ latest: all.latest, history: all.history });
          expect(await read(key), round).toEqual(allowed);
        }
        const [first] = allowed.latest;
        const byKey = await driver.readLatestMetric(key, company.id, 'cash_balance');
        expect(dataOf(byKey)).toEqual(first);
        const some = await driver.readLatestMetricsOf(key, company.id, ['headcount', 'zero']);
        expect(dataOf(some)).toEqual(allowed.latest.slice(1));
        const bounds = { from: '2024-01-01', to: '2026-09-30' };
        const between = driver.readMetricHistoryBetween(key, company.id, 'cash_balance', bounds);
        expect(dataOf(await between)).toEqual(allowed.history.slice(0, 1));
        expect(dataOf(await driver.readSources(key, company.id))).toEqual(all.sources);
        expect(dataOf(await driver.readAccounts(key, company.id))).toEqual(all.accounts);
      },
    },
    {
      name: 'a read of one metric outside the terms returns access_required, and the next step is to amend',
      async run(given) {
        const { driver } = given;
        const { key, company, requestId } = await limited(given);
        for (const metric of ['headcount', 'no_such_metric']) {
          for (const outcome of [
            await driver.readLatestMetric(key, company.id, metric),
            await driver.readMetricHistory(key, company.id, metric),
          ]) {
            const refused = expectRefused(outcome, 'access_required');
            expect(refused.message).toContain(
              `The terms of the grant ${requestId} leave out the metric ${metric}.`,
            );
            expect(refused.details).toEqual({ accessRequestId: requestId });
            expectWay(given, refused, 'amend', requestId);
          }
        }
      },
    },
    {
      name: 'a narrower or paused grant applies to the next read',
      async run(given) {
        const { driver, operator } = given;
        const { key, company, requestId: id, allowed } = await limited(given);
        const read = () => driver.readLatestMetrics(key, company.id);
        expect(dataOf(await read())).toEqual(allowed.latest);
        await operator.narrowAccessRequest({ id, terms: { metricKeys: ['zero'] } });
        expect(dataOf(await read())).toEqual(allowed.latest.slice(1));
        await operator.narrowAccessRequest({ id, scopes: ['metrics:read'] });
        expectRefused(await driver.readSources(key, company.id), 'access_required');
        await operator.pauseAccessRequest({ id });
        const { message, details } = expectRefused(await read(), 'access_paused');
        expect(message).toContain('The company has paused the access.');
        expect(details).toEqual({ accessRequestId: id });
        expect(dataOf(await driver.readCompany(key, company.id)).accessPaused).toBe(true);
        await operator.resumeAccessRequest({ id });
        expect(dataOf(await read())).toEqual(allowed.latest.slice(1));
      },
    },
    {
      name: 'terms with an invalid value return invalid_parameter',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.portfolio();
        const asked = { companyId: company.id, scopes: ['metrics:read'] };
        for (const wrong of [
          { metricKeys: [] },
          { metricKeys: ['no key at all'] },
          { historyFrom: '2026-13-01' },
          { use: 'twice' },
          { since: '2026-01-01' },
        ]) {
          const outcome = await driver.requestAccess(key, { ...asked, terms: wrong });
          const { details } = expectRefused(outcome, 'invalid_parameter');
          const [name = ''] = Object.keys(wrong);
          // GraphQL's schema refuses some of these values itself, without details.
          if (details.param !== undefined || driver.protocol !== 'graphql') {
            expect(details.param).toContain(`terms.${name}`);
          }
        }
      },
    },
  ],
};
