// @module-tag full
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en } from '../../desk/messages/en.ts';
import { isFull } from '../support/property-runs.ts';
import { desktop, hasChromium, openPage } from './chromium.ts';
import { describeDesk } from './desk.ts';

describe.skipIf(!hasChromium || !isFull)('in Chromium', () => {
  describeDesk('the steps from a request to its approval', (given) => {
    it('work with the keyboard only, and show the focus', async () => {
      const { fixtures, operator, get, url } = given();
      const { investor, company, key } = await fixtures.asking(['metrics:read', 'accounts:read']);
      const email = `${company.id}@example.com`;
      await operator.addContact({ companyId: company.id, email });
      const { token } = await operator.createSignInLink({ companyId: company.id });
      const options = { viewport: desktop, locale: 'en' };
      const { context, page, complaints } = await openPage(url, null, options);
      await page.goto(`${url}/desk/sign-in/confirm?token=${token}`);
      await tabTo(page, 'Sign in');
      await page.keyboard.press('Enter');
      await page.getByText(en.inbox.asks(investor.name)).waitFor();
      await page.keyboard.press('Tab');
      expect(await nameOfFocused(page)).toBe(en.skip);
      await page.keyboard.press('Enter');
      await tabTo(page, en.inbox.review);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: en.request.title(investor.name) }).waitFor();
      await tabToField(page, 'scopes');
      await page.keyboard.press('Space');
      await tabTo(page, en.request.approve);
      await page.keyboard.press('Space');
      await page.getByRole('heading', { name: en.review.approveTitle(investor.name) }).waitFor();
      await tabTo(page, en.review.confirmApprove);
      await page.keyboard.press('Enter');
      await page.getByText(en.done.approve).waitFor();
      expect((await get(`/v1/companies/${company.id}/metrics`, key)).status).toBe(200);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});

const nameOfFocused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.trim()');

/** Presses Tab until the first field of the name is reached. */
async function tabToField(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < 60; stop += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.name')) === name) return;
  }
  throw new Error(`Tab does not lead to a field ${name}`);
}

/** Presses Tab until the element is reached. Every stop must be visible. */
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
