// @module-tag full
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../desk/messages/en.ts';
import { isFull } from '../support/property-runs.ts';
import { desktop, hasChromium, isOfEvents, openLive, openSharedPage } from './chromium.ts';
import { companyWithRequest, decide, describeDesk, signIn, type Visitor } from './desk.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('an open page', (given) => {
    let shared: Awaited<ReturnType<typeof openSharedPage>>;
    let loads = 0;
    beforeAll(async () => {
      shared = await openSharedPage(given().url, { viewport: desktop, locale: 'en' });
      shared.page.on('load', () => {
        loads += 1;
      });
    });
    afterAll(() => shared?.page.close());

    async function open(contact: Visitor, path: string) {
      const { page, complaints } = shared;
      await shared.renew(contact);
      loads = 0;
      await openLive(page, given().url + path);
      return { page, complaints, loadsOf: () => loads };
    }

    const shown = (page: Page, text: string) =>
      page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();

    it('shows a read without a reload', async () => {
      const service = given();
      const { contact, company, investor, key, requestId } = await companyWithRequest(service);
      await service.operator.approveAccessRequest({ id: requestId });
      const { page, complaints, loadsOf } = await open(contact, '/desk/activity');
      await service.get(`/v1/companies/${company.id}/metrics`, key);
      await shown(page, investor.name);
      expect(loadsOf()).toBe(1);
      expect(complaints).toEqual([]);
    });

    it.runIf(isFull)('shows a colleague’s decision without a reload', async () => {
      const service = given();
      const { contact, company, investor, requestId } = await companyWithRequest(service);
      const { page, loadsOf } = await open(contact, '/desk/');
      await shown(page, en.inbox.asks(investor.name));
      const colleague = await signIn(service, company.id);
      await (await decide(colleague, requestId, 'decline')).confirm();
      await shown(page, en.inbox.empty);
      expect(loadsOf()).toBe(1);
    });

    it.runIf(isFull)(
      'keeps the text of a contact who is writing, and offers to reload',
      async () => {
        const service = given();
        const { contact, key, requestId } = await companyWithRequest(service, ['metrics:read']);
        const { page } = await open(contact, `/desk/requests/${requestId}`);
        const field = page.getByLabel(en.request.reasonLabel);
        await field.fill('Not before the');
        await service.call('PATCH', `/v1/access-requests/${requestId}`, {
          key,
          body: { scopes: ['accounts:read'] },
        });
        await page.getByRole('button', { name: en.live.reload }).waitFor();
        expect(await field.inputValue()).toBe('Not before the');
      },
    );

    it.runIf(isFull)(
      'leads to the sign-in page when the session was ended in another window',
      async () => {
        const service = given();
        const { contact } = await companyWithRequest(service);
        const { page } = await open(contact, '/desk/');
        await contact.fill('/desk/', '/sign-out');
        await page.getByText(en.signIn.ended).waitFor();
      },
    );

    it('lets the contact sign out in the same window, and the next sign-in opens the first page', async () => {
      const service = given();
      const { contact, company } = await companyWithRequest(service);
      const { page, complaints } = await open(contact, '/desk/settings');
      const told = page.waitForEvent('requestfinished', isOfEvents);
      const isSignOut = (url: URL) => url.pathname === '/desk/sign-out';
      await page.route(isSignOut, async (route) => {
        const response = await route.fetch({ maxRedirects: 0 });
        await told;
        await route.fulfill({ response });
      });
      await page.locator('.menu summary').click();
      await page.getByRole('button', { name: en.nav.signOut }).click();
      await page.getByText(en.signIn.signedOut).waitFor();
      await page.unroute(isSignOut);
      const { token } = await service.operator.createSignInLink({
        companyId: company.id,
        email: contact.email,
      });
      await page.goto(`${service.url}/desk/sign-in/confirm?token=${token}`);
      await page.getByRole('button', { name: en.signIn.confirmButton }).click();
      await page.getByRole('heading', { name: en.nav.inbox }).waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
