// @module-tag full
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFormat } from '../../desk/format.ts';
import { type Language, languages } from '../../desk/messages/index.ts';
import { soon } from '../company/company.ts';
import { isFull } from '../support/property-runs.ts';
import { translate } from './catalogue.ts';
import {
  desktop,
  enter,
  findAxeViolations,
  hasChromium,
  openChromium,
  overflowOf,
  phone,
  watchPage,
} from './chromium.ts';
import { addReader, asked, describeDesk } from './desk.ts';
import { allowPrivate, furnish, furnishWebhook } from './settings.ts';

const english = languages.get('en') as Language;
const tag = 'ar';

const letters = 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي';
const toArabic = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => letters[letter.charCodeAt(0) % letters.length] ?? letter);

/** A language that is written from the right, as far as a layout can tell. */
const rightToLeft: Language = {
  tag,
  m: { ...translate(english.m, toArabic), direction: 'rtl' },
  format: createFormat(tag),
};

describe.skipIf(!hasChromium || !isFull)('in Chromium', () => {
  const catalogues = languages as Map<string, Language>;
  let browser: Browser;
  beforeAll(async () => {
    catalogues.set(tag, rightToLeft);
    browser = await openChromium();
  });
  afterAll(async () => {
    catalogues.delete(tag);
  });

  describeDesk(
    'from right to left',
    (given) => {
      it.each([phone, desktop])(
        'every page is accessible and no wider than a window of $width',
        async (viewport) => {
          const service = given();
          const { contact, requestId, company } = await asked(service);
          const reader = await addReader(service, company.id, new Date(soon()));
          await service.get(`/v1/companies/${company.id}/metrics`, reader.key);
          const context = await browser.newContext({ viewport, locale: tag });
          await enter(context, service.url, contact);
          const page = await context.newPage();
          const complaints = watchPage(page, service.url);
          const paths = [
            '/desk/sign-in',
            '/desk/',
            '/desk/requests',
            `/desk/requests/${requestId}`,
            `/desk/requests/${requestId}/receipts`,
            '/desk/grants',
            '/desk/activity',
            ...(await furnish(service, { companyId: company.id })),
            ...(await furnishWebhook(service, { companyId: company.id })),
          ];
          for (const path of paths) {
            await page.goto(service.url + path);
            expect(await page.getAttribute('html', 'dir'), path).toBe('rtl');
            expect(await findAxeViolations(page), path).toEqual([]);
            expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
          }
          expect(complaints).toEqual([]);
          await context.close();
        },
      );
    },
    allowPrivate,
  );
});
