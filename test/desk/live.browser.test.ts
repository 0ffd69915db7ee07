// @module-tag full
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../desk/messages/en.ts';
import { desktop, hasChromium, isOfEvents, openLive, openSharedPage } from './chromium.ts';
import { companyWithRequest, describeDesk, type Visitor } from './desk.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('an open page', (given) => {
    let shared: Awaited<ReturnType<typeof openSharedPage>>;
    beforeAll(async () => {
      shared = await openSharedPage(given().url, { viewport: desktop, locale: 'en' });
    });
    afterAll(() => shared?.page.close());

    async function open(contact: Visitor, path: string) {
      const { page, complaints } = shared;
      await shared.renew(contact);
      await openLive(page, given().url + path);
      return { page, complaints };
    }

    it('keeps text that a contact is writing, and offers a reload instead', async () => {
      const service = given();
      const { contact, key, requestId } = await companyWithRequest(service, ['metrics:read']);
      const { page } = await open(contact, `/desk/requests/${requestId}`);
      const field = page.getByLabel(en.request.reasonLabel);
      await field.fill('Not before the');
      await service.fixtures.amend(key, requestId, ['accounts:read']);
      await page.getByRole('button', { name: en.live.reload }).waitFor();
      expect(await field.inputValue()).toBe('Not before the');
    });

    it('opens the sign-in page if the session was ended in another window', async () => {
      const { contact } = await companyWithRequest(given());
      const { page } = await open(contact, '/desk/');
      await contact.fill('/desk/', '/sign-out');
      await page.getByText(en.signIn.ended).waitFor();
    });

    it('lets the contact sign out in the same window and then sign in to the first page', async () => {
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
