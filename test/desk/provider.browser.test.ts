import { afterAll, describe, expect, it } from 'vitest';
import { startProvider } from '../support/openid-provider.ts';
import { someCases } from '../support/property-runs.ts';
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
import { callbackPath } from './provider.ts';

const provider = await startProvider();
afterAll(() => provider.close());

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk(
    'the OpenID provider',
    (given) => {
      const ways = someCases([
        { viewport: phone, javaScriptEnabled: true },
        { viewport: desktop, javaScriptEnabled: false },
      ]);
      it.each(ways)(
        'refuses an unknown account and signs a contact in: $viewport.width wide, JavaScript: $javaScriptEnabled',
        async (options) => {
          const { url, fixtures, operator } = given();
          provider.register(url + callbackPath);
          const company = await fixtures.company();
          const email = `dana.${company.id.replaceAll('_', '')}@harbor.example`;
          await operator.addContact({ companyId: company.id, email });
          provider.accounts.set('dana', { email, email_verified: true });
          provider.accounts.set('eve', { email: 'eve@elsewhere.example', email_verified: true });
          const context = await (await openChromium()).newContext({ ...options, locale: 'en' });
          const page = await context.newPage();
          const complaints = watchPage(page, url, provider.issuer);
          const look = async () => {
            if (!options.javaScriptEnabled) return;
            expect(await findAxeViolations(page)).toEqual([]);
            expect(await overflowOf(page)).toBeLessThanOrEqual(0);
          };
          const signInAs = async (account: string) => {
            await page.getByRole('textbox', { name: 'Account' }).fill(account);
            await page.getByRole('button', { name: 'Continue' }).click();
          };

          await page.goto(`${url}/desk/grants`);
          await look();
          await page.getByRole('link', { name: 'Sign in with Harbor ID' }).click();
          await signInAs('eve');
          await page.getByText('eve@elsewhere.example has no access').waitFor();
          await look();
          await page.getByRole('link', { name: 'Use another account' }).click();
          await signInAs('dana');
          // Between two accounts, the provider shows a page of its own. It continues by itself only with JavaScript.
          if (!options.javaScriptEnabled) {
            await page.waitForURL(/\/auth\/\w/);
            await page.getByRole('button', { name: 'Continue' }).click();
          }
          await page.waitForURL(`${url}/desk/grants`);
          await page.goto(`${url}/desk/sessions`);
          await page.getByText('signed in with OpenID Connect').waitFor();
          await look();
          await page.goBack();
          await page.waitForURL(`${url}/desk/grants`);
          const cookies = await context.cookies(`${url}/desk/sign-in/oidc`);
          expect(cookies.find(({ name }) => name === 'portfolio_desk_oidc')).toMatchObject({
            httpOnly: true,
            sameSite: 'Lax',
            path: '/desk/sign-in',
          });
          // The error page has this status.
          expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
          await context.close();
        },
      );
    },
    provider.environment,
    { onDatabase: true },
  );
});
