// @module-tag full
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../desk/messages/en.ts';
import { isFull } from '../support/property-runs.ts';
import type { TestService } from '../support/service.ts';
import { desktop, hasChromium, openSharedPage } from './chromium.ts';
import { asked, decode, describeDesk, deskCookie, signIn, type Visitor } from './desk.ts';

describeDesk('an open page', (given) => {
  async function firstOf(
    service: TestService,
    { get, session }: Visitor,
    meanwhile: () => unknown,
  ) {
    const { text } = await get('/desk/activity');
    const path = decode(/data-live="([^"]*)"/.exec(text)?.[1] ?? '');
    await meanwhile();
    const leaving = new AbortController();
    const headers = { cookie: `${deskCookie}=${session}` };
    const { body } = await fetch(service.url + path, { headers, signal: leaving.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    leaving.abort();
    return new TextDecoder().decode(value);
  }

  it('has a stream that begins with what came between the page and the stream, and with nothing when nothing came', async () => {
    const service = given();
    const { contact, company, key, requestId } = await asked(service);
    expect(await firstOf(service, contact, () => undefined)).not.toContain('change');
    const approve = () => service.operator.approveAccessRequest({ id: requestId });
    expect(await firstOf(service, contact, approve)).toContain('event: change');
    const read = () => service.get(`/v1/companies/${company.id}/metrics`, key);
    expect(await firstOf(service, contact, read)).toContain('event: change');
  });

  describe.skipIf(!hasChromium)('in Chromium', () => {
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
      const listening = page.waitForResponse((response) => response.url().includes('/desk/events'));
      await page.goto(given().url + path);
      await listening;
      return { page, complaints, loadsOf: () => loads };
    }

    const shown = (page: Page, text: string) =>
      page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();

    it('shows a read by itself, without loading the page anew', async () => {
      const service = given();
      const { contact, company, investor, key, requestId } = await asked(service);
      await service.operator.approveAccessRequest({ id: requestId });
      const { page, complaints, loadsOf } = await open(contact, '/desk/activity');
      await service.get(`/v1/companies/${company.id}/metrics`, key);
      await shown(page, investor.name);
      expect(loadsOf()).toBe(1);
      expect(complaints).toEqual([]);
    });

    it.runIf(isFull)('shows what a colleague has decided', async () => {
      const service = given();
      const { contact, company, investor, requestId } = await asked(service);
      const { page, loadsOf } = await open(contact, '/desk/');
      await shown(page, en.inbox.asks(investor.name));
      const colleague = await signIn(service, company.id);
      const { forms } = await colleague.get(`/desk/requests/${requestId}`);
      const decline = forms.find(({ fields }) => fields.decision?.[0] === 'decline');
      const review = await colleague.submit(decline as NonNullable<typeof decline>);
      const confirm = review.forms.find(({ action }) => action.endsWith('/decide'));
      await colleague.submit(confirm as NonNullable<typeof confirm>);
      await shown(page, en.inbox.empty);
      expect(loadsOf()).toBe(1);
    });

    it.runIf(isFull)(
      'takes nothing away from who is writing: it says that there is something new',
      async () => {
        const service = given();
        const { contact, key, requestId } = await asked(service, ['metrics:read']);
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

    it.runIf(isFull)('leads to signing in when the session has ended elsewhere', async () => {
      const service = given();
      const { contact } = await asked(service);
      const { page } = await open(contact, '/desk/');
      const { forms } = await contact.get('/desk/');
      const out = forms.find(({ action }) => action === '/desk/sign-out');
      await contact.submit(out as NonNullable<typeof out>);
      await page.getByText(en.signIn.ended).waitFor();
    });

    it('leaves signing out to whoever signs out here, and leads them to their first page when they come again', async () => {
      const service = given();
      const { contact, company } = await asked(service);
      const { page, complaints } = await open(contact, '/desk/settings');
      const told = page.waitForEvent('requestfinished', (request) =>
        request.url().includes('/desk/events'),
      );
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
      await page.getByRole('heading', { name: en.inbox.title }).waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
