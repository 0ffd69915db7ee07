// @module-tag full
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { soon } from '../company/company.ts';
import {
  enter,
  findAxeViolations,
  hasChromium,
  looks,
  openChromium,
  overflowOf,
  watchPage,
} from './chromium.ts';
import { addReader, asked, describeDesk } from './desk.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });

  describeDesk('pages', (given) => {
    const paths = [
      '/desk/sign-in',
      '/desk/sign-in/confirm?token=svc_sl_1',
      '/desk/',
      '/desk/requests',
      '/desk/grants',
      '/desk/activity',
      '/desk/activity?since=2001-02-30',
      '/desk/data',
      '/desk/data/metrics/cash_balance',
      '/desk/data/upload',
      '/desk/requests/ar_unknown',
      'REQUEST',
      'REQUEST/receipts',
    ];

    it.each(looks)(
      'are accessible and no wider than a window of $viewport.width, $colorScheme, $locale',
      async (look) => {
        const service = given();
        const { contact, requestId, company } = await asked(service);
        const reader = await addReader(service, company.id, new Date(soon()));
        for (const path of ['metrics', 'metrics/headcount']) {
          await service.get(`/v1/companies/${company.id}/${path}`, reader.key);
        }
        const context = await browser.newContext(look);
        await enter(context, service.url, contact);
        const page = await context.newPage();
        const complaints = watchPage(page, service.url);
        for (const path of paths) {
          const target = path.replace('REQUEST', `/desk/requests/${requestId}`);
          const response = await page.goto(service.url + target);
          expect(response?.headers()['content-language']).toBe(look.locale);
          expect(await findAxeViolations(page), path).toEqual([]);
          expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
        }
        // Chromium reports each page that is not there or refuses a field.
        expect(complaints.filter((text) => !/404|422/.test(text))).toEqual([]);
        await context.close();
      },
    );
  });
});
