import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { importLines } from '../../support/fixtures.ts';
import {
  desktop,
  enter,
  findAxeViolations,
  hasChromium,
  openChromium,
  overflowOf,
  phone,
  watchPage,
} from '../chromium.ts';
import { describeDesk } from '../desk.ts';
import { addShared, openPortfolio } from './portfolios.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });

  describeDesk('the pages of an investor', (given) => {
    it('check each signature in the browser, and follow what the company decides and delivers', async () => {
      const service = given();
      const opened = await openPortfolio(service);
      const { company, requestId } = await addShared(service, opened, 'Alder');
      const context = await browser.newContext({ viewport: desktop, locale: 'en-GB' });
      await enter(context, service.url, opened.person);
      const page = await context.newPage();
      const complaints = watchPage(page, service.url);
      await page.goto(`${service.url}/desk/portfolio/${company.id}`);
      await page.getByText('The signatures are right').waitFor();
      expect(await page.locator('[data-mark].good').count()).toBe(2);
      await importLines(service.operator, [
        {
          ...{ type: 'metric', company_id: company.id, key: 'cash_balance', label: 'Cash balance' },
          ...{ currency: 'USD', period: '2026-11-30', raw_value: 777_000, category: 'liquidity' },
          source: { system: 'mercury', method: 'api', last_synced: '2026-11-02T04:00:00Z' },
        },
      ]);
      await page.locator('figcaption').getByText('$777,000').waitFor();
      await page.getByText('The signatures are right').waitFor();
      await service.operator.revokeAccessRequest({ id: requestId });
      await page.getByText('The company has taken its access back.').first().waitFor();
      expect(await page.getByText('777,000').count()).toBe(0);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('are right for everybody: axe finds nothing, and no page is wider than its window', async () => {
      const service = given();
      const opened = await openPortfolio(service);
      const ids: string[] = [];
      for (const name of ['Alder', 'Birch']) {
        ids.push((await addShared(service, opened, name)).company.id);
      }
      const { id: none } = await service.fixtures.companyOf(opened.investor, 'Cedar');
      const [first = ''] = ids;
      const compared = ids.map((id) => `company=${id}`).join('&');
      for (const [viewport, colorScheme, locale] of [
        [phone, 'dark', 'de'],
        [desktop, 'light', 'en'],
      ] as const) {
        const context = await browser.newContext({ viewport, colorScheme, locale });
        await enter(context, service.url, opened.person);
        const page = await context.newPage();
        const complaints = watchPage(page, service.url);
        for (const path of [
          ...['portfolio', `portfolio/${first}`, `portfolio/${none}`, 'compare'],
          ...[`portfolio/${first}/metrics/cash_balance`, `compare?${compared}`],
        ]) {
          await page.goto(`${service.url}/desk/${path}`);
          expect(await findAxeViolations(page), path).toEqual([]);
          expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
        }
        expect(complaints).toEqual([]);
        await context.close();
      }
    });

    it('of a full portfolio take less than 70 kB with all that they load', async () => {
      const service = given();
      const opened = await openPortfolio(service);
      for (let index = 0; index < 25; index += 1) {
        await addShared(service, opened, `A company with quite a name ${index}`);
      }
      const context = await browser.newContext({ viewport: phone, locale: 'en-GB' });
      await enter(context, service.url, opened.person);
      const page = await context.newPage();
      const sizes: Promise<number>[] = [];
      page.on('requestfinished', (request) => {
        const size = request
          .sizes()
          .then(
            ({ responseHeadersSize, responseBodySize }) => responseHeadersSize + responseBodySize,
          );
        sizes.push(size);
      });
      await page.goto(`${service.url}/desk/portfolio`, { waitUntil: 'load' });
      const total = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
      expect(await page.locator('tbody tr').count()).toBe(25);
      expect(total).toBeLessThan(70_000);
      await context.close();
    });
  });
});
