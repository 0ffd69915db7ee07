// @module-tag full
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { de } from '../../desk/messages/de.ts';
import { en } from '../../desk/messages/en.ts';
import { translateMetricLabel } from '../../http/metric-names.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startProvider } from '../support/openid-provider.ts';
import type { TestService } from '../support/service.ts';
import {
  enter,
  findAxeViolations,
  hasChromium,
  openChromium,
  overflowOf,
  watchPage,
  windows,
} from './chromium.ts';
import { describeDesk, signIn, signInInvestor, type Visitor } from './desk.ts';
import { deskRecords } from './investor/portfolios.ts';
import { callbackPath } from './provider.ts';

const catalogues = { en, de };

const provider = await startProvider();
afterAll(() => provider.close());

/** A company with data in an investor's portfolio, without an access request. Each side has an admin. */
async function prepare(service: TestService) {
  const { fixtures, operator } = service;
  const investor = await fixtures.investor();
  const company = await fixtures.companyOf(investor);
  await importLines(operator, sampleData(company.id));
  const name = company.id.replaceAll('_', '');
  return {
    ...{ investor, company },
    companyAdmin: await signIn(service, company.id),
    investorAdmin: await signInInvestor(service, investor.id),
    dana: `dana@${name}.example`,
    ben: `ben@${name}.example`,
  };
}

/** One person's browser window. `look` checks the open page. */
async function openWindow(url: string, way: (typeof windows)[number]) {
  const { javaScriptEnabled, locale } = way;
  const m = catalogues[locale];
  const context = await (await openChromium()).newContext(way);
  const page = await context.newPage();
  const complaints = watchPage(page, url, provider.issuer);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  return {
    context,
    page,
    complaints,
    m,
    press,
    async look() {
      expect(await findAxeViolations(page, javaScriptEnabled), page.url()).toEqual([]);
      expect(await overflowOf(page), page.url()).toBeLessThanOrEqual(0);
    },
    async follow(seen: Locator) {
      if (!javaScriptEnabled) await page.reload();
      await seen.filter({ visible: true }).first().waitFor();
    },
    visit: (section: string) => page.getByRole('link', { name: section, exact: true }).click(),
    async signOut() {
      await page.locator('.menu summary').click();
      await press(m.nav.signOut);
      await page.getByText(m.signIn.signedOut).waitFor();
    },
  };
}

type Window = Awaited<ReturnType<typeof openWindow>>;

async function invite(window: Window, url: string, admin: Visitor, email: string, role: string) {
  const { page, m, press, look } = window;
  const words = m.settings.contacts;
  await enter(window.context, url, admin);
  await page.goto(`${url}/desk/settings`);
  await look();
  await page.getByLabel(words.email).fill(email);
  await page.getByRole('radio', { name: role }).check();
  await press(words.add);
  await page.getByRole('heading', { name: words.addReview(email) }).waitFor();
  await look();
  await press(words.confirmAdd);
  await page.getByText(words.added).waitFor();
  await look();
  await window.signOut();
  await look();
}

const textIn = (page: Page, text: string): Locator => page.locator('main').getByText(text);

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk(
    'both sides',
    (given) => {
      it.each(windows)(
        'can do every step from the invitation to the revocation ($viewport.width pixels, JavaScript: $javaScriptEnabled, $locale)',
        async (way) => {
          const service = given();
          const { url, operator } = service;
          const { company, investor, companyAdmin, investorAdmin, dana, ben } =
            await prepare(service);
          provider.register(url + callbackPath);
          provider.accounts.set('dana', { email: dana, email_verified: true });
          const theirs = await openWindow(url, way);
          const ours = await openWindow(url, way);
          const { m } = theirs;
          const { roles } = m.settings.contacts;

          await invite(theirs, url, companyAdmin, dana, roles.approver);
          await theirs.page.goto(`${url}/desk/`);
          await theirs.look();
          await theirs.page.getByRole('link', { name: m.signIn.provider('Harbor ID') }).click();
          await theirs.page.getByRole('textbox', { name: 'Account' }).fill('dana');
          await theirs.press('Continue');
          await textIn(theirs.page, m.inbox.empty).waitFor();
          await theirs.look();

          await invite(ours, url, investorAdmin, ben, roles.member);
          const link = await operator.createSignInLink({ investorId: investor.id, email: ben });
          await ours.page.goto(`${url}/desk/sign-in/confirm?token=${link.token}`);
          await ours.look();
          await ours.press(m.signIn.confirmButton);
          await ours.page.getByRole('heading', { name: m.nav.portfolio }).waitFor();
          await ours.look();

          await ours.visit(company.name);
          await textIn(ours.page, m.figures.company.states.none.title).waitFor();
          await ours.look();
          for (const scope of ['metrics:read', 'accounts:read'] as const) {
            await ours.page.getByRole('checkbox', { name: m.scopes[scope].name }).check();
          }
          await ours.page.getByLabel(m.figures.ask.purpose).fill('Quarterly review');
          await ours.press(m.figures.ask.send);
          await textIn(ours.page, m.figures.ask.sent).waitFor();
          await ours.look();

          await theirs.follow(textIn(theirs.page, m.inbox.asks(investor.name)));
          await textIn(theirs.page, 'Quarterly review').waitFor();
          await theirs.look();
          await theirs.visit(m.inbox.reviewOf(investor.name));
          await theirs.page
            .getByRole('heading', { name: m.request.title(investor.name) })
            .waitFor();
          await theirs.look();
          await theirs.page.getByRole('checkbox', { name: m.scopes['metrics:read'].name }).check();
          await theirs.press(m.request.approve);
          await textIn(theirs.page, m.review.approve(investor.name, company.name)).waitFor();
          await theirs.look();
          await theirs.press(m.review.confirm.approve);
          await textIn(theirs.page, m.done.approve).waitFor();
          await theirs.look();

          const plot = ours.page
            .getByRole('figure')
            .filter({ hasText: translateMetricLabel('Cash balance', way.locale) });
          await ours.follow(plot.locator('svg'));
          await plot
            .getByText(way.locale === 'de' ? '990.000,25' : '990,000.25')
            .first()
            .waitFor();
          // The page can't verify signatures without scripts, so it explains what it would verify.
          const verdict = way.javaScriptEnabled ? '#verdict .notice.good' : 'noscript .notice';
          await ours.page.locator(`main ${verdict}`).waitFor();
          expect(await ours.page.getByRole('heading', { name: m.data.accounts }).count()).toBe(0);
          await ours.look();

          await theirs.visit(m.nav.activity);
          await theirs.page.locator('summary').filter({ hasText: investor.name }).first().click();
          await textIn(theirs.page, ben).filter({ visible: true }).first().waitFor();
          await theirs.look();
          const read = await deskRecords(service, company.id);
          expect(new Set(read.map(({ scope }) => scope))).toEqual(new Set(['metrics:read']));

          await theirs.visit(m.nav.grants);
          await theirs.look();
          await theirs.page.getByRole('link', { name: investor.name }).first().click();
          await theirs.page.getByLabel(m.request.reasonLabel).fill('The round is closed.');
          await theirs.press(m.request.revoke);
          await textIn(theirs.page, m.review.revoke(investor.name)).waitFor();
          await theirs.look();
          await theirs.press(m.review.confirm.revoke);
          await textIn(theirs.page, m.done.revoke).waitFor();
          await theirs.look();

          await ours.page.reload();
          await textIn(ours.page, m.figures.company.states.revoked.title).waitFor();
          await textIn(ours.page, 'The round is closed.').waitFor();
          expect(await textIn(ours.page, '990,000.25').count()).toBe(0);
          await ours.look();
          await ours.visit(m.nav.requests);
          await textIn(ours.page, m.ownRequests.requests.statuses.revoked)
            .filter({ visible: true })
            .first()
            .waitFor();
          await ours.look();
          await ours.visit(m.nav.reads);
          await textIn(ours.page, ben).filter({ visible: true }).first().waitFor();
          await ours.look();

          expect({ theirs: theirs.complaints, ours: ours.complaints }).toEqual({
            theirs: [],
            ours: [],
          });
          await theirs.context.close();
          await ours.context.close();
        },
      );
    },
    provider.environment,
    { onDatabase: true },
  );
});
