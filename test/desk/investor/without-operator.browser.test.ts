// @module-tag full
import { describe, expect, it } from 'vitest';
import { en } from '../../../desk/messages/en.ts';
import { startReceiver } from '../../gateway/webhooks/receiver.ts';
import { isFull } from '../../support/property-runs.ts';
import { desktop, hasChromium, openPage, phone } from '../chromium.ts';
import { describeDesk } from '../desk.ts';
import { allowPrivate, deliver } from '../settings.ts';
import { openShared } from './portfolios.ts';

const words = en.settings;

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk(
    'an investor’s admin, starting from one link',
    (given) => {
      const ways = [
        { viewport: desktop, javaScriptEnabled: true },
        { viewport: phone, javaScriptEnabled: false },
      ];
      it.each(isFull ? ways : ways.slice(0, 1))(
        'reads data with a new key, finds the read at the desk, replaces the key and resends a webhook (JavaScript: $javaScriptEnabled)',
        async (way) => {
          const service = given();
          const { fixtures, operator, url } = service;
          const { investor, company } = await openShared(service);
          const birch = await fixtures.companyOf(investor, 'Birch');
          const email = `admin@${investor.id.replaceAll('_', '')}.example`;
          await operator.addContact({ investorId: investor.id, email, role: 'admin' });
          const { token } = await operator.createSignInLink({ investorId: investor.id, email });
          // These events are older than the webhook, so the webhook doesn't get them.
          await deliver(service);

          const options = { ...way, locale: 'en' };
          const { context, page, complaints } = await openPage(url, null, options);
          const main = page.locator('main');
          const press = (name: string) =>
            main.getByRole('button', { name, exact: true }).first().click();
          const visit = (name: string) =>
            page.getByRole('link', { name, exact: true }).first().click();
          const secret = () => page.getByLabel(words.secret.label).inputValue();
          const read = (bearer: string) =>
            fetch(`${url}/v1/companies/${company.id}/metrics`, {
              headers: { authorization: `Bearer ${bearer}` },
            });

          await page.goto(`${url}/desk/sign-in/confirm?token=${token}`);
          await press(en.signIn.confirmButton);
          await visit(en.nav.settings);
          await visit(words.investor.tabs.keys);
          await page.getByLabel(words.keys.name).fill('Dashboard');
          await page.getByLabel(words.keyScopes['metrics:read']).check();
          await press(words.keys.create);
          await press(words.keys.confirmCreate);
          const first = await secret();
          const answer = await read(first);
          expect(answer.status).toBe(200);

          const requestId = answer.headers.get('svc-request-id') ?? '';
          await visit(en.nav.reads);
          await page.getByLabel(en.ownReads.request).fill(requestId);
          await press(en.show);
          const rows = main.locator('tbody').getByRole('row');
          await rows.getByText(requestId).waitFor();
          expect(await rows.count()).toBe(1);
          await rows.getByText('Dashboard').waitFor();

          await visit(en.nav.settings);
          await visit(words.investor.tabs.keys);
          await rows
            .filter({ hasText: 'Dashboard' })
            .getByRole('link', { name: words.keys.rotate })
            .click();
          await page.getByLabel(words.keys.overlaps.none).check();
          await press(words.keys.confirmRotate);
          const second = await secret();
          expect((await read(first)).status).toBe(401);
          expect((await read(second)).status).toBe(200);

          let calls = 0;
          const receiver = await startReceiver((_call, response) => {
            calls += 1;
            response.writeHead(calls === 1 ? 200 : 204).end();
          });
          await visit(words.secret.done);
          await visit(words.tabs.webhooks);
          await page.getByLabel(words.webhooks.url).fill(receiver.url);
          await press(words.webhooks.create);
          await press(words.webhooks.confirmCreate);
          expect(await secret()).toMatch(/^whsec_/);
          await visit(en.nav.portfolio);
          await visit(birch.name);
          await press(en.figures.ask.send);
          await main.getByText(en.figures.ask.sent).waitFor();
          await deliver(service);
          expect(calls).toBe(1);

          await visit(en.nav.settings);
          await visit(words.tabs.webhooks);
          await visit(receiver.url);
          await rows.getByText(words.deliveries.answered('200')).waitFor();
          await rows.getByRole('button', { name: words.deliveries.replay }).click();
          await main.getByText(words.deliveries.replayed).waitFor();
          await deliver(service);
          expect(calls).toBe(2);
          // The page updates itself only with scripts.
          if (!way.javaScriptEnabled) await page.reload();
          await rows.getByText(words.deliveries.answered('204')).waitFor();
          expect(complaints).toEqual([]);
          await receiver.close();
          await context.close();
        },
      );
    },
    allowPrivate,
    { onDatabase: true },
  );
});
