// @module-tag full
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startReceiver } from '../../gateway/webhooks/receiver.ts';
import { importLines } from '../../support/fixtures.ts';
import { isFull } from '../../support/property-runs.ts';
import type { TestService } from '../../support/service.ts';
import { enter, hasChromium, openChromium } from '../chromium.ts';
import { describeDesk, signInInvestor } from '../desk.ts';
import { allowPrivate } from '../settings.ts';

const repository = join(import.meta.dirname, '../../..');

/** The pictures of the documentation, which are made anew with SAVE_PICTURES=1. */
const folder =
  process.env.SAVE_PICTURES === undefined
    ? mkdtempSync(join(tmpdir(), 'pictures-'))
    : join(repository, 'docs/images');

const months = 13;

/** A year of four metrics, each with a course of its own. */
function yearOf(companyId: string, nth: number): object[] {
  const courses = {
    cash_balance: ['Cash balance', (month: number) => 4_200_000 - month * (150_000 + nth * 20_000)],
    burn_rate: ['Burn rate', (month: number) => 150_000 + 12_000 * Math.cos(month + nth)],
    arr: ['Recurring revenue', (month: number) => (800_000 + nth * 90_000) * 1.05 ** month],
    headcount: ['Headcount', (month: number) => 24 + nth * 3 + month],
  } as const;
  return Object.entries(courses).flatMap(([key, [label, course]]) =>
    Array.from({ length: months }, (_, month) => ({
      ...{ type: 'metric', company_id: companyId, key, label, category: 'finance' },
      ...(key !== 'headcount' && { currency: 'USD' }),
      period: new Date(Date.UTC(2025, 10 + month, 0)).toISOString().slice(0, 10),
      raw_value: Math.round(course(month)),
      confidence: 'high',
      source: { system: 'mercury', method: 'api', last_synced: '2026-11-20T08:00:00Z' },
      verification: { verified: true },
    })),
  );
}

async function prepare({ operator, fixtures, background, get }: TestService) {
  const investor = await operator.createInvestor({
    ...{ name: 'Northlight Ventures', environment: 'live', sandbox: false },
  });
  const { key } = await fixtures.key(investor);
  const ids: string[] = [];
  for (const [nth, name] of ['Alder Robotics', 'Birch Payments', 'Juniper Health'].entries()) {
    const company = await fixtures.companyOf(investor, name);
    await importLines(operator, yearOf(company.id, nth));
    const { id } = await fixtures.request(key, company.id);
    await operator.approveAccessRequest({ id, ...(nth === 0 && { scopes: ['metrics:read'] }) });
    ids.push(company.id);
  }
  await fixtures.request(key, (await fixtures.companyOf(investor, 'Larch Energy')).id);
  const { id: none } = await fixtures.companyOf(investor, 'Maple Mobility');
  await operator.createApiKey({
    ...{ investorId: investor.id, name: 'Dashboard' },
    ...{
      scopes: ['companies:read', 'metrics:read'],
      expiresAt: new Date(Date.now() + 864_000_000),
    },
  });
  for (const id of [...ids, ids[0], none]) await get(`/v1/companies/${id}/metrics`, key);
  await operator.addContact({
    ...{ investorId: investor.id, email: 'bao@northlight.example', role: 'member' },
  });
  const receiver = await startReceiver();
  const { endpoint } = await operator.addWebhook({ investorId: investor.id, url: receiver.url });
  const { id: asked } = await fixtures.request(key, none, ['metrics:read']);
  while ((await background.queueWebhooks()) > 0);
  const never = new AbortController().signal;
  for (const claim of await background.claimWebhookEndpoints(100)) {
    const turn = { stopping: never, cut: never, onOutcome: () => undefined };
    await background.deliverWebhooks(claim, turn);
  }
  await receiver.close();
  return { investor, ids, asked, endpointId: endpoint.id };
}

describe.skipIf(!hasChromium || !isFull)('in Chromium', () => {
  describeDesk(
    'pictures of the documentation for investors',
    (given) => {
      it('show the pages as they are', async () => {
        const service = given();
        const { investor, ids, asked, endpointId } = await prepare(service);
        const person = await signInInvestor(service, investor.id, 'ana@northlight.example');
        const context = await (await openChromium()).newContext({
          viewport: { width: 1280, height: 900 },
          locale: 'en-GB',
          colorScheme: 'light',
        });
        await enter(context, service.url, person);
        const page = await context.newPage();
        mkdirSync(folder, { recursive: true });
        const compared = ids.map((id) => `company=${id}`).join('&');
        const pages = {
          portfolio: '/desk/portfolio',
          'portfolio-company': `/desk/portfolio/${ids[0]}`,
          'portfolio-metric': `/desk/portfolio/${ids[0]}/metrics/arr`,
          compare: `/desk/compare?metric=arr&${compared}`,
          'own-requests': '/desk/requests',
          'own-request': `/desk/requests/${asked}`,
          'own-reads': '/desk/activity',
          'own-people': '/desk/settings',
          'own-keys': '/desk/settings/keys',
          'own-webhook': `/desk/settings/webhooks/${endpointId}`,
          'own-usage': '/desk/settings/usage',
          'own-log': '/desk/settings/log',
        };
        for (const [name, path] of Object.entries(pages)) {
          const response = await page.goto(service.url + path);
          expect(response?.status(), path).toBe(200);
          if (name.startsWith('portfolio-')) await page.locator('.notice.good').waitFor();
          const picture = await page.screenshot({ path: join(folder, `desk-${name}.png`) });
          expect(picture.length).toBeGreaterThan(10_000);
        }
        await context.close();
      });
    },
    allowPrivate,
  );
});
