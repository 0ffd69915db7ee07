// @module-tag full
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { de } from '../../desk/messages/de.ts';
import { en } from '../../desk/messages/en.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { isFull, someCases } from '../support/property-runs.ts';
import type { TestService } from '../support/service.ts';
import {
  desktop,
  findAxeViolations,
  hasChromium,
  openChromium,
  overflowOf,
  phone,
  watchPage,
} from './chromium.ts';
import { describeDesk } from './desk.ts';

const catalogues = { en, de };

/** A company with data and a contact, and an investor that has not asked yet. */
async function prepare(service: TestService) {
  const made = await service.fixtures.portfolio();
  await importLines(service.operator, sampleData(made.company.id));
  const email = `${made.company.id}@example.com`;
  await service.operator.addContact({ companyId: made.company.id, email });
  const { token } = await service.operator.createSignInLink({ companyId: made.company.id });
  const read = async (what = 'metrics') =>
    (await service.get(`/v1/companies/${made.company.id}/${what}`, made.key)).status;
  const ask = async () => {
    const asked = await service.post('/v1/access-requests', made.key, {
      company_id: made.company.id,
      scopes: ['metrics:read', 'accounts:read'],
      purpose: 'Quarterly reporting',
    });
    expect(asked.status).toBe(201);
  };
  return { ...made, link: `${service.url}/desk/sign-in/confirm?token=${token}`, read, ask };
}

describe.skipIf(!hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });

  describeDesk('the tour', (given) => {
    async function open(options: NonNullable<Parameters<Browser['newContext']>[0]>) {
      const context: BrowserContext = await browser.newContext(options);
      const page = await context.newPage();
      return { context, page, complaints: watchPage(page, given().url) };
    }

    const ways = someCases(
      [phone, desktop].flatMap((viewport) =>
        [true, false].flatMap((javaScriptEnabled) =>
          (['en', 'de'] as const).map((locale) => ({ viewport, javaScriptEnabled, locale })),
        ),
      ),
    );
    it.each(ways)(
      'goes from a request to a part of it, a read, the end of it and a refused read: $viewport.width wide, JavaScript: $javaScriptEnabled, $locale',
      async ({ viewport, javaScriptEnabled, locale }) => {
        const m = catalogues[locale];
        const { investor, company, link, read, ask } = await prepare(given());
        const { context, page, complaints } = await open({
          viewport,
          locale,
          javaScriptEnabled,
        });
        const look = async () => {
          if (javaScriptEnabled) expect(await findAxeViolations(page)).toEqual([]);
          if (javaScriptEnabled) expect(await overflowOf(page)).toBeLessThanOrEqual(0);
        };
        const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

        await page.goto(link);
        await look();
        await press(m.signIn.confirmButton);
        await page.getByText(m.inbox.empty).waitFor();
        await look();

        await ask();
        // The page follows by itself, or by a reload.
        if (!javaScriptEnabled) await page.reload();
        await page.getByText(m.inbox.asks(investor.name)).waitFor();
        await look();
        expect(await read()).toBe(403);

        await page.getByRole('link', { name: m.inbox.reviewOf(investor.name) }).click();
        await page.getByRole('heading', { name: m.request.title(investor.name) }).waitFor();
        await page.getByText(m.request.preview(m.scopes['metrics:read'].name)).click();
        await page.getByText('Cash balance').first().waitFor();
        await look();
        await page.getByRole('checkbox', { name: m.scopes['accounts:read'].name }).uncheck();
        await page
          .getByRole('radio', { name: m.request.days(90) })
          .first()
          .check();
        await press(m.request.approve);
        await page.getByText(m.review.approve(investor.name, company.name)).waitFor();
        await look();
        expect(await read()).toBe(403);
        await press(m.review.confirmApprove);
        await page.getByText(m.done.approve).waitFor();
        await look();
        expect(await read()).toBe(200);
        expect(await read('accounts')).toBe(403);

        await page.getByRole('link', { name: m.nav.activity }).click();
        await page.getByRole('heading', { level: 1, name: m.nav.activity }).waitFor();
        const seen = page.locator('main').getByText(investor.name);
        await seen.filter({ visible: true }).first().waitFor();
        await look();

        await page.getByRole('link', { name: m.nav.grants }).click();
        await page.getByRole('link', { name: investor.name }).first().click();
        await page.getByLabel(m.request.reasonLabel).fill('The round is closed.');
        await press(m.request.revoke);
        await page.getByText(m.review.revoke(investor.name)).waitFor();
        await look();
        await press(m.review.confirmRevoke);
        await page.getByText(m.done.revoke).waitFor();
        await look();
        expect(await read()).toBe(403);

        await page.locator('.menu summary').click();
        await look();
        await press(m.nav.signOut);
        await page.getByText(m.signIn.signedOut).waitFor();
        await page.goto(`${given().url}/desk/`);
        await page.getByText(m.signIn.ended).waitFor();
        expect(complaints).toEqual([]);
        await context.close();
      },
    );

    it.runIf(isFull)('can be gone by the keyboard alone, and shows where one is', async () => {
      const { investor, link, read, ask } = await prepare(given());
      await ask();
      const { context, page, complaints } = await open({ viewport: desktop, locale: 'en' });
      await page.goto(link);
      await tabTo(page, 'Sign in');
      await page.keyboard.press('Enter');
      await page.getByText(en.inbox.asks(investor.name)).waitFor();
      await page.keyboard.press('Tab');
      expect(await nameOfFocused(page)).toBe(en.skip);
      await page.keyboard.press('Enter');
      await tabTo(page, en.inbox.review);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: en.request.title(investor.name) }).waitFor();
      await tabTo(page, en.request.approve);
      await page.keyboard.press('Space');
      await page.getByRole('heading', { name: en.review.approveTitle(investor.name) }).waitFor();
      await tabTo(page, en.review.confirmApprove);
      await page.keyboard.press('Enter');
      await page.getByText(en.done.approve).waitFor();
      expect(await read()).toBe(200);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});

const nameOfFocused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.trim()');

/** Presses Tab until the element is reached; every stop on the way must be seen. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < 60; stop += 1) {
    await page.keyboard.press('Tab');
    const [outline, markup] = await page.evaluate<[string, string]>(
      '[getComputedStyle(document.activeElement).outlineStyle, document.activeElement.outerHTML]',
    );
    expect(outline, markup).not.toBe('none');
    if ((await nameOfFocused(page)) === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
