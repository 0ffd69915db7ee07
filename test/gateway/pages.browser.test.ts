// @module-tag full
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desktop,
  findAxeViolations,
  hasChromium,
  openChromium,
  overflowOf,
  phone,
  watchPage,
} from '../desk/chromium.ts';
import { someCases } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';

const looks = someCases(
  [desktop, phone].flatMap((viewport) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
  ),
);

const none = async () => undefined;

const ready: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/docs/': none,
  '/docs/quick-start': none,
  '/docs/consent': none,
  '/docs/webhooks': none,
  '/docs/graphql': none,
  '/docs/desk': none,
  '/docs/errors': none,
  '/docs/configuration': none,
  '/docs/security': none,
  '/docs/changelog': none,
  '/docs/reference': (page) =>
    page.getByText('/v1/companies').first().waitFor({ state: 'attached' }),
  '/docs/company-reference': (page) =>
    page.getByText('/company/v1/access-requests').first().waitFor({ state: 'attached' }),
  '/graphql': (page) => page.getByLabel('API key').waitFor(),
};

describe.skipIf(!hasChromium)('served pages in Chromium', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      environment: { GRAPHQL_INTROSPECTION: 'on' },
      isReachedDirectly: true,
    });
    browser = await openChromium();
  });
  afterAll(() => service?.close());

  it.each(
    Object.entries(ready).flatMap(([path, wait]) => looks.map((look) => ({ path, wait, ...look }))),
  )(
    '$path is accessible in a window of $viewport.width pixels, $colorScheme',
    async ({ path, wait, ...look }) => {
      const context = await browser.newContext(look);
      const page = await context.newPage();
      const complaints = watchPage(page, service.url);
      const response = await page.goto(service.url + path);
      expect(response?.status()).toBe(200);
      await wait(page);
      expect(await findAxeViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('a reader can search the documentation, copy code, open the reference and return', async () => {
    const context = await browser.newContext({
      viewport: desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const complaints = watchPage(page, service.url);
    await page.goto(`${service.url}/docs/`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('pagination');
    await page.getByRole('option', { name: 'Pages and filters' }).first().click();
    await page.waitForURL('**/docs/pages-and-filters#*');
    const code = page.locator('div[class*="language-"]').first();
    await code.hover();
    await code.getByRole('button', { name: 'Copy code' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(service.url);
    await page.getByRole('button', { name: 'API reference' }).hover();
    await page.getByRole('link', { name: 'Investor API' }).first().click();
    await page.waitForURL('**/docs/reference');
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.waitForURL('**/docs/');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
