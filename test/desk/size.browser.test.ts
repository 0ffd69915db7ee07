import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enter, hasChromium, openChromium, phone, watchPage } from './chromium.ts';
import { asked, describeDesk } from './desk.ts';
import { addShared, openPortfolio } from './investor/portfolios.ts';

const maxBytes = 60_000;

describe.skipIf(!hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });

  describeDesk('first page', (given) => {
    it('of a contact is below 60 kB with all that it loads, headers included, and asks no other host', async () => {
      const { url, fixtures } = given();
      const { contact, company } = await asked(given());
      // A full page: as many requests as it shows.
      for (let count = 1; count < 20; count += 1) {
        const investor = await fixtures.investor();
        const { key } = await fixtures.key(investor);
        await given().operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
        await fixtures.request(key, company.id);
      }
      const context = await browser.newContext({ viewport: phone });
      await enter(context, url, contact);
      const page = await context.newPage();
      const complaints = watchPage(page, url);
      const loaded = new Map<string, Promise<number>>();
      page.on('requestfinished', (request) => {
        const size = request
          .sizes()
          .then((sizes) => sizes.responseHeadersSize + sizes.responseBodySize);
        loaded.set(request.url().slice(url.length), size);
      });
      await page.goto(`${url}/desk/`);
      expect(await page.locator('.card').count()).toBe(20);
      const paths = () => new Set(Array.from(loaded.keys(), (path) => path.replace(/\?.*/, '')));
      await expect
        .poll(paths)
        .toEqual(
          new Set([
            '/desk/',
            '/desk/assets/icon.svg',
            '/desk/assets/live.js',
            '/desk/assets/style.css',
            '/desk/assets/times.js',
          ]),
        );
      const sizes = await Promise.all(loaded.values());
      const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
      expect(total).toBeLessThan(maxBytes);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('of a full portfolio is below 70 kB', async () => {
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
