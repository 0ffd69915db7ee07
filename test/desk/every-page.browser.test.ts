import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFormat } from '../../desk/format.ts';
import { type Language, languages } from '../../desk/messages/index.ts';
import { isFull, someCases } from '../support/property-runs.ts';
import { translate } from './catalogue.ts';
import {
  desktop,
  enter,
  findAxeViolations,
  hasChromium,
  looks,
  openChromium,
  overflowOf,
  phone,
  watchPage,
} from './chromium.ts';
import { describeDesk } from './desk.ts';
import { furnishBothSides, openPages, type ShownPage, type Side } from './pages.ts';
import { allowPrivate } from './settings.ts';

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

const maxBytes = 70_000;

/** Presses Tab until it leads back to where it began; every stop must be seen. Gives how many stops there are. */
async function walk(page: Page): Promise<number> {
  const stops = new Set<string>();
  for (let stop = 0; stop < 400; stop += 1) {
    await page.keyboard.press('Tab');
    const [id, outline, markup] = await page.evaluate<[string, string, string]>(`(() => {
      const { activeElement: active } = document;
      active.dataset.stop ??= String(document.querySelectorAll('[data-stop]').length);
      return [active.dataset.stop, getComputedStyle(active).outlineStyle, active.outerHTML];
    })()`);
    if (stops.has(id) || markup.startsWith('<body')) return stops.size;
    expect(outline, `${page.url()} ${markup}`).not.toBe('none');
    stops.add(id);
  }
  throw new Error(`Tab leads nowhere on ${page.url()}`);
}

/** How many things of a page can be used: of the radio buttons of a question one. */
const usableOf = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const all = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
    const seen = [...document.querySelectorAll(all)].filter((each) => each.checkVisibility() && !each.disabled);
    const question = (each) => each.type === 'radio' ? each.form.action + each.name : each;
    return new Set(seen.map(question)).size;
  })()`);

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk(
    'every page of both sides',
    (given) => {
      const catalogues = languages as Map<string, Language>;
      let sides: readonly Side[];
      beforeAll(async () => {
        catalogues.set(tag, rightToLeft);
        sides = await furnishBothSides(given());
      });
      afterAll(() => {
        catalogues.delete(tag);
      });

      /** Opens the pages one after the other, and looks at each; none of them may complain. */
      async function openAll(
        options: BrowserContextOptions,
        look: (page: Page, shown: ShownPage) => unknown,
        choose: (pages: readonly ShownPage[]) => readonly ShownPage[] = (pages) => pages,
      ): Promise<void> {
        const { url } = given();
        for (const { name, visitor, pages } of sides) {
          const context = await (await openChromium()).newContext(options);
          const page = await context.newPage();
          const complaints = watchPage(page, url);
          for (const shown of [...openPages, ...choose(pages)]) {
            if (!openPages.includes(shown)) await enter(context, url, visitor);
            const response = await page.goto(url + shown.path);
            expect(response?.status(), `${name} ${shown.path}`).toBe(shown.status);
            await look(page, shown);
          }
          // Chromium reports each page that is not there or refuses a field.
          expect(complaints.filter((text) => !/404|422/.test(text))).toEqual([]);
          await context.close();
        }
      }

      it.each([
        ...looks.map((look) => ({ ...look, javaScriptEnabled: true })),
        { viewport: phone, colorScheme: 'dark' as const, locale: 'de', javaScriptEnabled: false },
      ])(
        'is accessible, and no wider than a window of $viewport.width, $colorScheme, $locale, JavaScript: $javaScriptEnabled',
        async (look) => {
          await openAll(look, async (page, { path }) => {
            expect(await page.getAttribute('html', 'lang'), path).toBe(look.locale);
            expect(await findAxeViolations(page, look.javaScriptEnabled), path).toEqual([]);
            expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
          });
        },
      );

      it.runIf(isFull).each([phone, desktop])(
        'is the same from right to left, in a window of $width',
        async (viewport) => {
          await openAll({ viewport, locale: tag }, async (page, { path }) => {
            expect(await page.getAttribute('html', 'dir'), path).toBe('rtl');
            expect(await findAxeViolations(page), path).toEqual([]);
            expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
          });
        },
      );

      it('can be used by the keyboard alone, and shows where one is', async () => {
        await openAll(
          { viewport: desktop, locale: 'en' },
          async (page, { path }) => {
            const usable = await usableOf(page);
            expect(await walk(page), path).toBe(usable);
          },
          someCases,
        );
      });

      it('comes as a first page in less than 70 kB with all that it loads, and lets nothing run or be loaded from elsewhere', async () => {
        const { url } = given();
        const browser = await openChromium();
        for (const { visitor, pages } of sides) {
          for (const { path } of pages) {
            // Nothing is kept of the page before.
            const context = await browser.newContext({ viewport: phone, locale: 'en' });
            await enter(context, url, visitor);
            const page = await context.newPage();
            const sizes: Promise<number>[] = [];
            page.on('requestfinished', (request) => {
              const size = request
                .sizes()
                .then((each) => each.responseHeadersSize + each.responseBodySize);
              sizes.push(size);
            });
            const response = await page.goto(url + path);
            const isVerified = (await page.locator('template[data-signed]').count()) > 0;
            if (isVerified) await page.locator('#verdict .good, #verdict.good').waitFor();
            const total = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
            expect(total, path).toBeLessThan(maxBytes);
            expect(total, path).toBeGreaterThan(10_000);
            const policy = response?.headers()['content-security-policy'] ?? '';
            expect(policy, path).toMatch(
              /^default-src 'none'; script-src 'self'; style-src 'self';/,
            );
            expect(policy, path).not.toContain('unsafe');
            const text = (await response?.text()) ?? '';
            expect(text, path).not.toMatch(
              /<script(?![^>]* src="\/desk\/)|<style|<[^>]* (style|on\w+)=/,
            );
            await context.close();
          }
        }
      });
    },
    allowPrivate,
  );
});
