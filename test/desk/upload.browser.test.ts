import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { desktop, findAxeViolations, hasChromium, openPage, overflowOf } from './chromium.ts';
import { describeDesk, signIn } from './desk.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  async function expectWhole(page: Page): Promise<void> {
    expect(await findAxeViolations(page), page.url()).toEqual([]);
    expect(await overflowOf(page), page.url()).toBeLessThanOrEqual(0);
  }

  describeDesk('an upload', (given) => {
    it.each([
      { viewport: { width: 390, height: 844 }, locale: 'de' },
      { viewport: desktop, locale: 'en' },
    ])(
      'corrects a figure in the template with the keyboard, $viewport.width wide, $locale',
      async ({ viewport, locale }) => {
        const service = given();
        const { id } = await service.fixtures.company('live', 'Juniper Health');
        await importLines(service.operator, sampleData(id));
        const contact = await signIn(service, id);
        const options = { viewport, locale };
        const { context, page, complaints } = await openPage(service.url, contact, options);

        await page.goto(`${service.url}/desk/data`);
        await expectWhole(page);
        await page.goto(`${service.url}/desk/data/upload`);
        await expectWhole(page);

        const choose = async (content: string) => {
          const file = { name: 'm.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
          await page.locator('#file').setInputFiles(file);
          await page.locator('form[data-progress] button').focus();
          await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
        };
        const { text } = await contact.get('/desk/data/template.csv');
        await choose(text.replace('990000.25', 'many'));
        await expectWhole(page);
        expect(await page.locator('form[action="/desk/data/push"]').count()).toBe(0);

        // This file causes two questions on one page.
        await page.goto(`${service.url}/desk/data/upload`);
        await choose('key,period,raw_value\nheadcount,03/04/2026,1.204\n');
        expect(await page.locator('main fieldset').count()).toBe(2);
        await expectWhole(page);

        await page.goto(`${service.url}/desk/data/upload`);
        const header = 'key,period,raw_value,currency,as_of';
        await choose(
          [
            header,
            'headcount,2026-09-30,1.204,,',
            'cash_balance,2062-10-31,3.280,EUR,',
            '1-Mar,2026-10-31,5,,2026-10-01T00:00:00Z',
          ].join('\n'),
        );
        await expectWhole(page);
        await page.locator('button[name="numbers"]').first().focus();
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Space')]);
        expect(await page.locator('[name="tick"]').count()).toBe(3);
        await expectWhole(page);

        await page.goto(`${service.url}/desk/data/upload`);
        const more = text.split('\r\n').find((line) => line.startsWith('headcount')) ?? '';
        await choose(
          `${text.replace('990000.25', '1234567.5')}${more.replace('2026-10-31', '2099-11-30')}\r\n`,
        );
        await expectWhole(page);
        await page.locator('[name="tick"]').first().focus();
        await page.keyboard.press('Space');
        await page.locator('form[action="/desk/data/push"] button').focus();
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
        expect(await page.getByRole('status').first().textContent()).toMatch(/1.*1.*1/);
        await expectWhole(page);

        await page.goto(`${service.url}/desk/data/metrics/cash_balance`);
        expect(await page.locator('#revisions ~ .scroll tbody tr').count()).toBe(2);
        await expectWhole(page);
        // Chromium logs an error if a page rejects a file with the status 422.
        expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
        await context.close();
      },
    );
  });
});
