import { describe, expect, it } from 'vitest';
import {
  desktop,
  findAxeViolations,
  hasChromium,
  openPage,
  overflowOf,
  phone,
} from '../chromium.ts';
import { describeDesk } from '../desk.ts';
import { openStates } from './portfolios.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('a portfolio', (given) => {
    it('lets a contact tick all companies with one box, and request access to all of them', async () => {
      const { person } = await openStates(given());
      const { url } = given();
      const { context, page, complaints } = await openPage(url, person, {
        ...{ viewport: desktop, locale: 'en' },
      });
      await page.goto(`${url}/desk/portfolio?access=none`);
      const all = page.getByLabel('Choose all on this page');
      await all.check();
      await page.getByLabel('Choose Revoked', { exact: true }).uncheck();
      expect(await page.locator('[data-choose]:indeterminate').count()).toBe(1);
      await all.check();
      await page.getByRole('button', { name: 'Ask for access' }).click();
      await page.getByLabel('Purpose').fill('Quarterly reporting');
      await page.getByRole('button', { name: 'Send the requests' }).click();
      await page.getByText('We have asked the companies.').waitFor();
      expect(await page.getByRole('link', { name: 'Waiting 3' }).count()).toBe(1);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('can be sorted on a phone without scripts, and lists the ticked companies before it sends requests', async () => {
      const { person } = await openStates(given());
      const { url } = given();
      const { context, page } = await openPage(url, person, {
        ...{ viewport: phone, locale: 'en', javaScriptEnabled: false },
      });
      await page.goto(`${url}/desk/portfolio?access=shared`);
      await page.getByLabel('Sort by').selectOption('company');
      await page.getByLabel('Direction').selectOption('desc');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      const names = await page.locator('.pick bdi').allTextContents();
      expect(names).toEqual(['Overdue', 'On time', 'Failed']);
      await page.getByLabel('Choose Failed', { exact: true }).check();
      await page.getByRole('button', { name: 'Ask for access' }).click();
      expect(await page.getByLabel('Failed', { exact: true }).isChecked()).toBe(true);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await findAxeViolations(page, false)).toEqual([]);
      await context.close();
    });
  });
});
