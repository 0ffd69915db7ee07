// @module-tag full
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isFull } from '../support/property-runs.ts';
import { findAxeViolations, hasChromium, openPage, overflowOf, phone } from './chromium.ts';
import { describeDesk, signIn } from './desk.ts';
import { allowPrivate } from './settings.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  const expectWhole = async (page: Page) => {
    expect(await findAxeViolations(page), page.url()).toEqual([]);
    expect(await overflowOf(page), page.url()).toBeLessThanOrEqual(0);
  };

  /** Presses a button that sends a form, and waits for the answer. */
  async function press(page: Page, name: string): Promise<void> {
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
  }

  describeDesk(
    'settings',
    (given) => {
      for (const javaScriptEnabled of [true, false]) {
        // All tests without a browser run without scripts, too.
        it.skipIf(!javaScriptEnabled && !isFull)(
          `show a new key’s secret once, even after a reload, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
          async () => {
            const service = given();
            const { id } = await service.fixtures.company();
            const contact = await signIn(service, id);
            const options = { viewport: phone, javaScriptEnabled, locale: 'en' };
            const { context, page } = await openPage(service.url, contact, options);
            await page.goto(`${service.url}/desk/settings/keys`);
            await page.getByLabel('read your own data').check();
            await press(page, 'Create a key…');
            if (javaScriptEnabled) await expectWhole(page);
            await press(page, 'Yes, create');
            expect(await page.getByLabel('Secret').inputValue()).toMatch(/^svc_ck_live_\w{32}$/);
            if (javaScriptEnabled) await expectWhole(page);
            await page.reload();
            expect(await page.textContent('h1')).toBe('Already done');
            if (javaScriptEnabled) await expectWhole(page);
            expect(await service.operator.listCompanyKeys({ companyId: id })).toHaveLength(1);
            await context.close();
          },
        );
      }

      it('show an error next to a field with an invalid value', async () => {
        const service = given();
        const { id } = await service.fixtures.company();
        const options = { viewport: phone, locale: 'en' };
        const { context, page } = await openPage(service.url, await signIn(service, id), options);
        await page.goto(`${service.url}/desk/settings/webhooks`);
        await page.getByLabel('Address of your software (URL)').fill('no address');
        await press(page, 'Add…');
        const field = page.getByLabel('Address of your software (URL)');
        expect(await field.getAttribute('aria-invalid')).toBe('true');
        expect(await field.inputValue()).toBe('no address');
        await expectWhole(page);
        await page.goto(`${service.url}/desk/settings/keys`);
        await page.getByLabel('Until the end of this date (UTC)').first().check();
        await press(page, 'Create a key…');
        await expectWhole(page);
        await context.close();
      });
    },
    allowPrivate,
  );
});
