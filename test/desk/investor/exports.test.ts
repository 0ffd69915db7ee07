import { expect, it } from 'vitest';
import { limits, withFileTurn } from '#http';
import { fileLimit } from '../../../http/limits/index.ts';
import { describeDesk } from '../desk.ts';
import { openShared } from './portfolios.ts';

describeDesk('a file of an investor', (given) => {
  it.each([
    ['a history as CSV', (id: string) => `/desk/portfolio/${id}/history.csv?key=cash_balance`],
    ['a history as a workbook', (id: string) => `/desk/portfolio/${id}/history.xlsx?key=headcount`],
    ['a portfolio as CSV', () => '/desk/portfolio.csv'],
    ['a comparison as CSV', (id: string) => `/desk/compare.csv?metric=headcount&company=${id}`],
  ])(
    'is refused while too many other downloads of the same investor wait: %s',
    async (_name, pathOf) => {
      const { company, person, investor } = await openShared(given());
      const other = await openShared(given());
      const busy = Promise.withResolvers<void>();
      const turns = Array.from({ length: 1 + limits.longWork.waitingPerCaller }, () =>
        withFileTurn(investor.id, () => busy.promise),
      );
      const refused = await person.get(pathOf(company.id));
      const waiting = other.person.get(pathOf(other.company.id));
      await expect.poll(() => fileLimit.countWaiting(other.investor.id)).toBe(1);
      busy.resolve();
      await Promise.all(turns);
      expect((await waiting).status).toBe(200);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(refused.text).toContain('<h1>');
      expect((await person.get(pathOf(company.id))).status).toBe(200);
    },
  );
});
