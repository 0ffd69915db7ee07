// @module-tag full
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../desk/messages/en.ts';
import type { TestService } from '../support/service.ts';
import { desktop, hasChromium, isOfEvents, openLive, openSharedPage, phone } from './chromium.ts';
import { addRequester, companyWithRequest, describeDesk, type Visitor } from './desk.ts';

const ask = async (service: TestService, companyId: string): Promise<string> =>
  (await addRequester(service, companyId)).investor.name;

/** Simulates that the tab is hidden or shown. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('a page that changes during reading', (given) => {
    let shared: Awaited<ReturnType<typeof openSharedPage>>;
    beforeAll(async () => {
      shared = await openSharedPage(given().url, { locale: 'en' });
    });
    afterAll(() => shared?.page.close());

    async function open(contact: Visitor, path: string, viewport = desktop) {
      const { page, complaints } = shared;
      await shared.renew(contact);
      await page.setViewportSize(viewport);
      await openLive(page, given().url + path);
      return { page, complaints };
    }

    const appears = (page: Page, name: string) =>
      page.locator('main').getByText(name).first().waitFor({ state: 'attached' });

    it('keeps the focus, and announces several quick changes only once', async () => {
      const { contact, company, investor } = await companyWithRequest(given());
      const { page, complaints } = await open(contact, '/desk/');
      await page.evaluate(`
        globalThis.said = 0;
        new MutationObserver(() => { said += 1; })
          .observe(document.getElementById('live'), { childList: true });
      `);
      const link = page.getByRole('link', { name: en.inbox.reviewOf(investor.name) });
      const path = await link.getAttribute('href');
      await link.focus();
      for (let change = 0; change < 3; change += 1) {
        await appears(page, await ask(given(), company.id));
        expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(path);
      }
      expect(await page.evaluate('said')).toBe(1);
      expect(await page.locator('#live').textContent()).toBe(en.live.changed);
      expect(complaints).toEqual([]);
    });

    it('keeps its scroll position when content is added above', async () => {
      const { contact, company, investor } = await companyWithRequest(given());
      for (let count = 0; count < 4; count += 1) await ask(given(), company.id);
      const { page } = await open(contact, '/desk/', phone);
      const link = page.getByRole('link', { name: en.inbox.reviewOf(investor.name) });
      await link.scrollIntoViewIfNeeded();
      const before = await link.boundingBox();
      expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
      await appears(page, await ask(given(), company.id));
      const after = await link.boundingBox();
      expect(Math.abs((after?.y ?? 0) - (before?.y ?? Number.NaN))).toBeLessThan(2);
    });

    it('isn’t replaced by an error page if loading a change fails', async () => {
      const { contact, company } = await companyWithRequest(given());
      const { page } = await open(contact, '/desk/');
      await page.route('**/desk/', (route) => route.fulfill({ status: 503, body: 'down' }));
      await ask(given(), company.id);
      await page.getByRole('button', { name: en.live.reload }).waitFor();
      expect(await page.locator('h1').textContent()).toBe(en.nav.inbox);
    });

    it('closes its connection while hidden, and shows the changes once it is visible again', async () => {
      const { contact, company } = await companyWithRequest(given());
      const { page, complaints } = await open(contact, '/desk/');
      const left = page.waitForEvent('requestfailed', isOfEvents);
      await setHidden(page, true);
      await left;
      const name = await ask(given(), company.id);
      await setHidden(page, false);
      await appears(page, name);
      expect(complaints).toEqual([]);
    });
  });
});
