import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../desk/messages/en.ts';
import { hasChromium, openPage } from './chromium.ts';
import { companyWithRequest, describeDesk } from './desk.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('the frame of a page', (given) => {
    let made: Awaited<ReturnType<typeof companyWithRequest>>;
    beforeAll(async () => {
      made = await companyWithRequest(given());
    });

    async function open(options: BrowserContextOptions) {
      const { url } = given();
      const opened = await openPage(url, made.contact, options);
      await opened.page.goto(`${url}/desk/requests/${made.requestId}`);
      return opened;
    }

    const timeOf = (page: Page) => page.locator('.facts time[data-time="exact"]').first();

    it.each([
      ['en-GB', 'America/New_York'],
      ['de-CH', 'Asia/Tokyo'],
      // The page itself stays in English, because it doesn't support French.
      ['fr-FR', 'Europe/Paris'],
    ])(
      'shows times in the format of the browser’s language %s and in its time zone %s',
      async (locale, timeZone) => {
        const { context, page, complaints } = await open({ locale, timezoneId: timeZone });
        const language = locale === 'fr-FR' ? 'en' : locale;
        const format = new Intl.DateTimeFormat(language, {
          dateStyle: 'medium',
          timeStyle: 'short',
          timeZone,
        });
        const instant = new Date((await timeOf(page).getAttribute('datetime')) ?? '');
        const plain = (text: string) => text.replaceAll(/\s/g, ' ');
        expect(plain((await timeOf(page).textContent()) ?? '')).toBe(plain(format.format(instant)));
        expect(await timeOf(page).getAttribute('title')).toMatch(/GMT|EST|EDT|JST|CET/);
        expect(complaints).toEqual([]);
        await context.close();
      },
    );

    it('shows times in UTC without scripts', async () => {
      const { context, page } = await open({
        locale: 'en',
        timezoneId: 'Asia/Tokyo',
        javaScriptEnabled: false,
      });
      expect(await timeOf(page).textContent()).toMatch(/, \d\d:\d\d UTC$/);
      await context.close();
    });

    it.each([true, false])(
      'has a menu that the keyboard can open (JavaScript: %s)',
      async (javaScriptEnabled) => {
        const { context, page } = await open({ locale: 'en', javaScriptEnabled });
        const summary = page.locator('.menu summary');
        const signOut = page.getByRole('button', { name: en.nav.signOut });
        await summary.focus();
        expect(await signOut.isVisible()).toBe(false);
        await page.keyboard.press('Enter');
        await signOut.waitFor();
        expect(await page.locator('.menu').textContent()).toContain(made.contact.email);
        await page.keyboard.press(javaScriptEnabled ? 'Escape' : 'Enter');
        await signOut.waitFor({ state: 'hidden' });
        expect(await page.evaluate("document.activeElement.matches('.menu summary')")).toBe(true);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Deutsch' }).click();
        await page.getByText('Ihre Entscheidung').first().waitFor();
        await context.close();
      },
    );
  });
});
