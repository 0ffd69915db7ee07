// @module-tag full
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
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
  openChromium,
  overflowOf,
  phone,
  watchLoads,
  watchPage,
} from './chromium.ts';
import { describeDesk, type Visitor } from './desk.ts';
import { furnishBothSides, openPages, type Seen, type ShownPage } from './pages.ts';
import { allowPrivate } from './settings.ts';

const english = languages.get('en') as Language;
const tag = 'ar';

const letters = 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي';
const toArabic = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => letters[letter.charCodeAt(0) % letters.length] ?? letter);

const rightToLeft: Language = {
  tag,
  m: { ...translate(english.m, toArabic), direction: 'rtl' },
  format: createFormat(tag),
};

const maxBytes = 70_000;

interface Tour {
  readonly name: string;
  readonly locale: string;
  readonly javaScriptEnabled?: boolean;
  /** Each page is shown in these views. The slow check with axe runs only where a view may change its result. */
  readonly views: readonly {
    readonly viewport: typeof phone;
    readonly colorScheme?: 'light' | 'dark';
    readonly isAudited?: boolean;
  }[];
}

/** Each axe rule that colours, sizes, languages or missing scripts may break is checked in a view. */
const tours: readonly Tour[] = [
  {
    name: 'is accessible, and no wider than its window',
    locale: 'en',
    views: someCases([{ viewport: phone, isAudited: true }, { viewport: desktop }]),
  },
  {
    name: 'is accessible without scripts, and no wider than its window',
    locale: 'de',
    javaScriptEnabled: false,
    views: [{ viewport: phone, colorScheme: 'dark', isAudited: true }],
  },
  ...(isFull
    ? [
        {
          name: 'fits into its window with longer words',
          locale: 'de',
          views: [{ viewport: phone }, { viewport: desktop }],
        },
        {
          name: 'is accessible from right to left, and no wider than its window',
          locale: tag,
          views: [{ viewport: phone }, { viewport: desktop, isAudited: true }],
        },
      ]
    : []),
];

/** Presses Tab until the focus returns, and expects it to be visible on each element. Returns their number. */
async function walk(page: Page): Promise<number> {
  const stops = new Set<string>();
  let last = '';
  for (let presses = 0; presses < 400; presses += 1) {
    await page.keyboard.press('Tab');
    const [id, outline, markup] = await page.evaluate<[string, string, string]>(`(() => {
      const { activeElement: active } = document;
      active.dataset.stop ??= String(document.querySelectorAll('[data-stop]').length);
      return [active.dataset.stop, getComputedStyle(active).outlineStyle, active.outerHTML];
    })()`);
    // In a date field, Tab moves through its parts. After the last element, the body has the focus.
    if (id === last || markup.startsWith('<body')) continue;
    if (stops.has(id)) return stops.size;
    expect(outline, `${page.url()} ${markup}`).not.toBe('none');
    stops.add(id);
    last = id;
  }
  throw new Error(`Tab leads nowhere on ${page.url()}`);
}

/** The number of elements that the keyboard can reach. The radio buttons of one question count once. */
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
      let seen: readonly Seen[];
      beforeAll(async () => {
        catalogues.set(tag, rightToLeft);
        const sides = await furnishBothSides(given());
        seen = sides.flatMap(({ admin, viewer }) => [admin, viewer]);
      });
      afterAll(() => {
        catalogues.delete(tag);
      });

      /** Without live updates, because reads on other open pages would change a page. */
      async function openContext(
        options: BrowserContextOptions,
        visitor: Visitor | null,
      ): Promise<BrowserContext> {
        // With reduced motion, colours change at once, so no intermediate colour is measured.
        const still = { reducedMotion: 'reduce', ...options } as const;
        const context = await (await openChromium()).newContext(still);
        await context.addInitScript(
          'globalThis.EventSource = class extends EventTarget { close() {} }',
        );
        if (visitor !== null) await enter(context, given().url, visitor);
        return context;
      }

      type LookAt = (page: Page, shown: ShownPage) => unknown;

      /** Opens pages one by one and calls `look` for each. Expects no logged error or warning. */
      async function openInTab(
        context: BrowserContext,
        pages: readonly ShownPage[],
        look: LookAt,
      ): Promise<void> {
        const { url } = given();
        const page = await context.newPage();
        const complaints = watchPage(page, url);
        for (const shown of pages) {
          let response = await page.goto(url + shown.path);
          // On a busy machine, the service refuses some requests, so this tries again.
          while (response?.status() === 503) response = await page.goto(url + shown.path);
          expect(response?.status(), shown.path).toBe(shown.status);
          await look(page, shown);
        }
        // Chromium logs an error for each of these statuses, which are expected here.
        expect(complaints.filter((text) => !/403|404|422|503/.test(text))).toEqual([]);
      }

      async function openAll(
        options: BrowserContextOptions,
        look: LookAt,
        choose: (pages: readonly ShownPage[]) => readonly ShownPage[] = (pages) => pages,
      ): Promise<void> {
        const visits = [
          { visitor: null, pages: openPages },
          ...seen.map(({ visitor, pages }) => ({ visitor, pages: choose(pages) })),
        ];
        await Promise.all(
          visits.map(async ({ visitor, pages }) => {
            const context = await openContext(options, visitor);
            await openInTab(context, pages, look);
            await context.close();
          }),
        );
      }

      it.each(tours)('$name', async ({ locale, javaScriptEnabled = true, views }) => {
        await openAll({ locale, javaScriptEnabled }, async (page, { path }) => {
          const { direction } = (catalogues.get(locale) as Language).m;
          expect(await page.getAttribute('html', 'lang'), path).toBe(locale);
          expect(await page.getAttribute('html', 'dir'), path).toBe(direction);
          for (const { viewport, colorScheme = 'light', isAudited = false } of views) {
            await page.setViewportSize(viewport);
            await page.emulateMedia({ colorScheme });
            const where = `${path} ${viewport.width} ${colorScheme}`;
            expect(await overflowOf(page), where).toBeLessThanOrEqual(0);
            if (!isAudited) continue;
            expect(await findAxeViolations(page, javaScriptEnabled), where).toEqual([]);
          }
        });
      });

      it('is usable with the keyboard only, and shows the focus', async () => {
        await openAll(
          { viewport: desktop, locale: 'en' },
          async (page, { path }) => {
            const usable = await usableOf(page);
            expect(await walk(page), path).toBe(usable);
          },
          someCases,
        );
      });

      it('loads less than 70 kB with an empty cache, and allows no inline code and no content from other origins', async () => {
        const { url } = given();
        const openEach = async ({ visitor, pages }: Seen) => {
          for (const { path } of pages) {
            const context = await openContext({ viewport: phone, locale: 'en' }, visitor);
            const page = await context.newPage();
            const loads = watchLoads(page);
            const response = await page.goto(url + path);
            const isVerified = (await page.locator('template[data-signed]').count()) > 0;
            if (isVerified) await page.locator('#verdict .good, #verdict.good').waitFor();
            const total = await loads.total();
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
        };
        await Promise.all(seen.map(openEach));
      });
    },
    allowPrivate,
  );
});
