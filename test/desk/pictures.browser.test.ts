// @module-tag full
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { isFull } from '../support/property-runs.ts';
import type { TestService } from '../support/service.ts';
import { desktop, hasChromium, openPage } from './chromium.ts';
import { aValue, describeDesk, signIn, signInInvestor } from './desk.ts';
import { allowPrivate, deliver } from './settings.ts';

const repository = join(import.meta.dirname, '../..');

const folder =
  process.env.SAVE_PICTURES === undefined
    ? mkdtempSync(join(tmpdir(), 'pictures-'))
    : join(repository, 'docs/images');

async function prepareCompany(service: TestService) {
  const { operator, fixtures, get, post } = service;
  const company = await operator.createCompany({ name: 'Juniper Health', environment: 'live' });
  await importLines(operator, sampleData(company.id));
  const names = ['Northlight Ventures', 'Alder & Quay Capital', 'Sandbox Capital'];
  const askers = [];
  for (const name of names) {
    const investor = await operator.createInvestor({ name, environment: 'live', sandbox: false });
    await operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
    const { key } = await fixtures.key(investor);
    const { body } = await post('/v1/access-requests', key, {
      company_id: company.id,
      scopes: ['metrics:read', 'accounts:read'],
      purpose: 'Quarterly reporting to our partners.',
    });
    askers.push({ key, requestId: body.id as string });
  }
  const [northlight, alder, sandbox] = askers as [
    (typeof askers)[0],
    (typeof askers)[0],
    (typeof askers)[0],
  ];
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  await operator.approveAccessRequest({
    id: northlight.requestId,
    scopes: ['metrics:read'],
    expiresAt: days(12),
  });
  await operator.approveAccessRequest({ id: alder.requestId, expiresAt: days(300) });
  for (const { key } of [northlight, northlight, alder]) {
    await get(`/v1/companies/${company.id}/metrics`, key);
    await get(`/v1/companies/${company.id}/metrics/cash_balance/history`, key);
  }
  await get(`/v1/companies/${company.id}/accounts`, northlight.key);
  return {
    visitor: await signIn(service, company.id, 'dana@juniper.example'),
    pages: {
      inbox: '/desk/',
      request: `/desk/requests/${sandbox.requestId}`,
      grants: '/desk/grants',
      activity: '/desk/activity',
      receipts: `/desk/requests/${northlight.requestId}/receipts`,
    },
  };
}

const months = 13;

function yearOf(companyId: string, nth: number): object[] {
  const courses = {
    cash_balance: ['Cash balance', (month: number) => 4_200_000 - month * (150_000 + nth * 20_000)],
    burn_rate: ['Burn rate', (month: number) => 150_000 + 12_000 * Math.cos(month + nth)],
    arr: ['Recurring revenue', (month: number) => (800_000 + nth * 90_000) * 1.05 ** month],
    headcount: ['Headcount', (month: number) => 24 + nth * 3 + month],
  } as const;
  return Object.entries(courses).flatMap(([key, [label, course]]) =>
    Array.from({ length: months }, (_, month) =>
      aValue(companyId, {
        ...{ key, label, category: 'finance', raw_value: Math.round(course(month)) },
        ...(key !== 'headcount' && { currency: 'USD' }),
        period: new Date(Date.UTC(2025, 10 + month, 0)).toISOString().slice(0, 10),
        confidence: 'high',
        source: { system: 'mercury', method: 'api', last_synced: '2026-11-20T08:00:00Z' },
        verification: { verified: true },
      }),
    ),
  );
}

async function prepareInvestor(service: TestService) {
  const { operator, fixtures, get } = service;
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
  await deliver(service);
  await receiver.close();
  const compared = ids.map((id) => `company=${id}`).join('&');
  return {
    visitor: await signInInvestor(service, investor.id, 'ana@northlight.example'),
    pages: {
      portfolio: '/desk/portfolio',
      'portfolio-company': `/desk/portfolio/${ids[0]}`,
      'portfolio-metric': `/desk/portfolio/${ids[0]}/metrics/arr`,
      compare: `/desk/compare?metric=arr&${compared}`,
      'own-requests': '/desk/requests',
      'own-request': `/desk/requests/${asked}`,
      'own-reads': '/desk/activity',
      'own-people': '/desk/settings',
      'own-keys': '/desk/settings/keys',
      'own-webhook': `/desk/settings/webhooks/${endpoint.id}`,
      'own-usage': '/desk/settings/usage',
      'own-mails': '/desk/settings/mails',
      'own-log': '/desk/settings/log',
    },
  };
}

describe.skipIf(!hasChromium || !isFull)('in Chromium', () => {
  describeDesk(
    'pictures of the documentation',
    (given) => {
      it.each([
        ['companies', prepareCompany],
        ['investors', prepareInvestor],
      ])('show the current pages of %s', async (_whose, prepare) => {
        const { visitor, pages } = await prepare(given());
        const { url } = given();
        const { context, page } = await openPage(url, visitor, {
          viewport: desktop,
          locale: 'en-GB',
          colorScheme: 'light',
        });
        mkdirSync(folder, { recursive: true });
        for (const [name, path] of Object.entries(pages)) {
          const response = await page.goto(url + path);
          expect(response?.status(), path).toBe(200);
          if (name === 'receipts') await page.locator('.mark.good, .badge.good').first().waitFor();
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
