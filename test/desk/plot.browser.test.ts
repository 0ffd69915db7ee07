import { describe, expect, it } from 'vitest';
import { importLines } from '../support/fixtures.ts';
import { desktop, hasChromium, openPage } from './chromium.ts';
import { aValue, correction, describeDesk } from './desk.ts';
import { addShared, openShared } from './investor/portfolios.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('a plot', (given) => {
    it('shows the value at the pointer, or at the point chosen with the keyboard', async () => {
      const { company, person } = await openShared(given());
      await importLines(given().operator, [correction(company.id)]);
      const { url } = given();
      const { context, page, complaints } = await openPage(url, person, {
        ...{ viewport: desktop, locale: 'en-US' },
      });
      await page.goto(`${url}/desk/portfolio/${company.id}/metrics/cash_balance`);
      const plot = page.locator('svg.plot');
      const box = await plot.boundingBox();
      await plot.hover({ position: { x: 5, y: 5 } });
      const output = page.locator('.readout output');
      expect(await output.textContent()).toBe('Aug 31, 2026: $1,400,000 · corrected');
      await plot.hover({ position: { x: (box?.width ?? 0) - 5, y: 5 } });
      expect(await output.textContent()).toBe('Oct 31, 2026: $990,000.25');
      const slider = page.getByRole('slider', { name: 'Period' });
      await slider.focus();
      await page.keyboard.press('ArrowLeft');
      expect(await output.textContent()).toBe('Sep 30, 2026: $1,250,000.50');
      expect(await slider.getAttribute('aria-valuetext')).toBe('Sep 30, 2026: $1,250,000.50');
      await page.keyboard.press('ArrowLeft');
      const corrected = 'Aug 31, 2026: $1,400,000 · corrected';
      expect(await slider.getAttribute('aria-valuetext')).toBe(corrected);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('of several companies lists the companies that have a value at the chosen point', async () => {
      const service = given();
      const opened = await openShared(service);
      const { company: birch } = await addShared(service, opened, 'Birch');
      await importLines(service.operator, [
        aValue(birch.id, {
          ...{ key: 'cash_balance', currency: 'USD' },
          period: '2026-11-30',
          raw_value: 7,
        }),
      ]);
      const { url } = service;
      const { context, page } = await openPage(url, opened.person, {
        ...{ viewport: desktop, locale: 'en-US' },
      });
      const query = `metric=cash_balance&company=${opened.company.id}&company=${birch.id}`;
      await page.goto(`${url}/desk/compare?${query}`);
      const slider = page.getByRole('slider', { name: 'Period' });
      await slider.focus();
      const output = page.locator('.readout output');
      expect(await output.textContent()).toBe('Nov 30, 2026: Birch $7');
      await page.keyboard.press('ArrowLeft');
      expect(await output.textContent()).toBe(
        'Oct 31, 2026: Alder $990,000.25 · Birch $990,000.25',
      );
      await context.close();
    });
  });
});
