import { describe, expect, it } from 'vitest';
import { hasChromium, openPage, phone, watchLoads } from './chromium.ts';
import { addRequester, companyWithRequest, describeDesk } from './desk.ts';
import { addShared, openPortfolio } from './investor/portfolios.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('the first page', (given) => {
    it('loads less than 60 kB (with headers) for a contact, and nothing from another host', async () => {
      const { url } = given();
      const { contact, company } = await companyWithRequest(given());
      // The first page shows up to this many access requests.
      for (let count = 1; count < 20; count += 1) await addRequester(given(), company.id);
      const { context, page, complaints } = await openPage(url, contact, { viewport: phone });
      const loads = watchLoads(page);
      await page.goto(`${url}/desk/`);
      expect(await page.locator('.card').count()).toBe(20);
      await expect
        .poll(loads.paths)
        .toEqual([
          '/desk/',
          '/desk/assets/icon.svg',
          '/desk/assets/live.js',
          '/desk/assets/style.css',
          '/desk/assets/times.js',
        ]);
      expect(await loads.total()).toBeLessThan(60_000);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('loads less than 70 kB for a full portfolio', async () => {
      const service = given();
      const opened = await openPortfolio(service);
      for (let index = 0; index < 25; index += 1) {
        await addShared(service, opened, `A company with quite a name ${index}`);
      }
      const options = { viewport: phone, locale: 'en-GB' };
      const { context, page } = await openPage(service.url, opened.person, options);
      const loads = watchLoads(page);
      await page.goto(`${service.url}/desk/portfolio`, { waitUntil: 'load' });
      const total = await loads.total();
      expect(await page.locator('tbody tr').count()).toBe(25);
      expect(total).toBeLessThan(70_000);
      await context.close();
    });
  });
});
