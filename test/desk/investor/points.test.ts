import { expect, it } from 'vitest';
import type { RateLimiter } from '#core';
import { investorRoutes } from '../../../desk/investor/index.ts';
import type { ServiceOptions } from '../../support/service.ts';
import { describeDesk } from '../desk.ts';
import { addShared, deskRecords, openPortfolio } from './portfolios.ts';

const pages = investorRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** A query with the parameters of every page. Each page ignores unknown parameters. */
const queryOf = (companyIds: readonly string[]) =>
  new URLSearchParams([
    ...companyIds.map((id): [string, string] => ['company', id]),
    ...['key', 'metric'].map((name): [string, string] => [name, 'cash_balance']),
  ]);

let limiter: RateLimiter | undefined;
const replace: ServiceOptions['replace'] = ({ rateLimiter }) => {
  limiter = rateLimiter;
  return {};
};

describeDesk(
  'a page of an investor',
  (given) => {
    it.each(pages)(
      'costs at least one point for each access record that it stores: %s',
      async (path) => {
        const service = given();
        const opened = await openPortfolio(service);
        const made = [];
        for (const name of ['Alder', 'Birch', 'Cedar']) {
          made.push(await addShared(service, opened, name));
        }
        const companyIds = made.map(({ company }) => company.id);
        const ids = {
          portfolio: companyIds[0],
          requests: made[0]?.requestId,
          settings: (await service.operator.listApiKeys({ investorId: opened.investor.id }))[0]?.id,
        };
        const part = path.split('/')[1] as keyof typeof ids;
        const address = path.replace(':id', ids[part] ?? '').replace(':key', 'cash_balance');
        const spent = async () =>
          (await limiter?.spend(`people:${opened.investor.id}`, 0))?.points ?? Number.NaN;
        const before = await spent();
        const shown = await opened.person.get(`/desk${address}?${queryOf(companyIds)}`);
        expect(shown.status).toBe(200);
        const records = await Promise.all(companyIds.map((each) => deskRecords(service, each)));
        expect(records.flat().length).toBeLessThanOrEqual((await spent()) - before);
      },
    );

    it('is in the list of tested pages if it shows figures', () => {
      expect(pages).toEqual(expect.arrayContaining(['/portfolio', '/portfolio/:id', '/compare']));
    });
  },
  {},
  { replace },
);
