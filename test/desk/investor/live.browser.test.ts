import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../../support/fixtures.ts';
import { desktop, enter, hasChromium, openChromium, watchPage } from '../chromium.ts';
import { describeDesk } from '../desk.ts';
import { addShared, deskRecords, openPortfolio } from './portfolios.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });

  describeDesk('the pages of an investor', (given) => {
    async function open({ person }: Awaited<ReturnType<typeof openPortfolio>>, path: string) {
      const { url } = given();
      const context = await browser.newContext({ viewport: desktop, locale: 'en-GB' });
      await enter(context, url, person);
      const page = await context.newPage();
      const complaints = watchPage(page, url);
      let loads = 0;
      page.on('load', () => {
        loads += 1;
      });
      await page.goto(url + path);
      const main = page.locator('main');
      return {
        ...{ context, page, complaints, main },
        loadsOf: () => loads,
        see: (text: string) => main.getByText(text).filter({ visible: true }).first().waitFor(),
      };
    }

    it.each([
      ['of a request', '/desk/requests/REQUEST', 'You may read'],
      ['of all requests', '/desk/requests', 'You may read'],
      ['of a company', '/desk/portfolio/COMPANY', 'The signatures are right'],
    ])('%s follow what the company decides', async (_of, path, shown) => {
      const service = given();
      const opened = await openPortfolio(service);
      const company = await service.fixtures.companyOf(opened.investor, 'Alder');
      await importLines(service.operator, sampleData(company.id));
      const { id } = await service.fixtures.request(opened.key, company.id);
      const at = path.replace('REQUEST', id).replace('COMPANY', company.id);
      const { context, complaints, see, loadsOf } = await open(opened, at);
      await service.operator.approveAccessRequest({ id });
      await see(shown);
      expect(loadsOf()).toBe(1);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('of a portfolio follow how each access stands, and read no figure anew before somebody asks', async () => {
      const service = given();
      const opened = await openPortfolio(service);
      const alder = await addShared(service, opened, 'Alder');
      const birch = await service.fixtures.companyOf(opened.investor, 'Birch');
      await importLines(service.operator, sampleData(birch.id));
      const { id } = await service.fixtures.request(opened.key, birch.id);
      const { context, page, complaints, main, loadsOf } = await open(opened, '/desk/portfolio');
      const rowOf = (name: string) => main.getByRole('row').filter({ hasText: name });
      await rowOf('Alder').getByText('990,000').waitFor();
      await service.operator.approveAccessRequest({ id });
      await rowOf('Birch').getByText('Shared', { exact: true }).waitFor();
      await service.operator.revokeAccessRequest({ id: alder.requestId });
      await rowOf('Alder').getByText('Taken back').waitFor();
      expect(await rowOf('Alder').getByText('990,000').count()).toBe(0);
      expect(await deskRecords(service, alder.company.id)).toHaveLength(1);
      expect(await deskRecords(service, birch.id)).toHaveLength(0);
      expect(loadsOf()).toBe(1);
      await page.getByRole('button', { name: 'Reload' }).click();
      await rowOf('Birch').getByText('990,000').waitFor();
      expect(await deskRecords(service, birch.id)).toHaveLength(1);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('of what was read and of settings follow what keys and colleagues do', async () => {
      const service = given();
      const { operator } = service;
      const opened = await openPortfolio(service);
      const { company } = await addShared(service, opened, 'Alder');
      const { id: investorId } = opened.investor;
      const reads = await open(opened, '/desk/activity');
      const people = await open(opened, '/desk/settings');
      const keys = await open(opened, '/desk/settings/keys');
      const log = await open(opened, '/desk/settings/log');
      await service.get(`/v1/companies/${company.id}/sources`, opened.key);
      const email = `new.${investorId.replaceAll('_', '')}@example.com`;
      await operator.addContact({ investorId, email, role: 'viewer' });
      await operator.createApiKey({ investorId, scopes: ['metrics:read'], name: 'Nightly' });
      await Promise.all([
        reads.see('Sources'),
        people.see(email),
        keys.see('Nightly'),
        log.see('Key made'),
      ]);
      for (const { context, complaints, loadsOf } of [reads, people, keys, log]) {
        expect(loadsOf()).toBe(1);
        expect(complaints).toEqual([]);
        await context.close();
      }
    });

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
  });
});
