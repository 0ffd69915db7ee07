// @module-tag full
import { describe, expect, it } from 'vitest';
import { hasChromium, openPage } from './chromium.ts';
import { companyWithRequest, describeDesk } from './desk.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('the input of a form', (given) => {
    it.each([true, false])(
      'is kept by the Back buttons of the browser and of the page (scripts: %s)',
      async (javaScriptEnabled) => {
        const service = given();
        const { contact, requestId } = await companyWithRequest(service);
        const { context, page } = await openPage(service.url, contact, { javaScriptEnabled });
        const path = `${service.url}/desk/requests/${requestId}`;
        await page.goto(path);
        const sources = page.getByRole('checkbox', { name: /Sources/ });
        const accounts = page.getByRole('checkbox', { name: /Accounts/ });
        const days = page.getByRole('radio', { name: '90 days' });
        await accounts.check();
        await days.check();
        const expectAsItWas = async () => {
          await expect.poll(() => page.url()).toBe(path);
          expect(await sources.isChecked()).toBe(false);
          expect(await accounts.isChecked()).toBe(true);
          expect(await days.isChecked()).toBe(true);
        };
        const approve = async () => {
          await page.getByRole('button', { name: 'Approve…' }).click();
          await page.getByRole('button', { name: 'Yes, approve' }).waitFor();
        };
        await approve();
        await page.goBack();
        await expectAsItWas();
        await approve();
        await page.getByRole('button', { name: /^Back/ }).click();
        await expectAsItWas();
        await context.close();
      },
    );

    it('changes the preview at once, and keeps the preview’s open sections', async () => {
      const service = given();
      const { contact, requestId } = await companyWithRequest(service);
      const { context, page, complaints } = await openPage(service.url, contact);
      await page.goto(`${service.url}/desk/requests/${requestId}`);
      const preview = page.locator('#preview');
      await preview.getByText('Accounts', { exact: true }).click();
      await page.getByText('Limits', { exact: true }).click();
      await page.getByRole('radio', { name: 'Only these:' }).check();
      await page.getByRole('checkbox', { name: 'Cash balance' }).uncheck();
      await preview.getByRole('row', { name: /Cash balance/ }).waitFor({ state: 'detached' });
      expect(await preview.getByRole('row', { name: /Headcount/ }).count()).toBe(1);
      expect(await preview.locator('details[open]').count()).toBe(2);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});
