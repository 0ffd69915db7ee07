// @module-tag full
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import { isFull } from '../support/property-runs.ts';
import type { TestService } from '../support/service.ts';
import { enter, hasChromium, openChromium } from './chromium.ts';
import { describeDesk, signIn } from './desk.ts';

const repository = join(import.meta.dirname, '../..');

/** The pictures of the documentation, which are made anew with SAVE_PICTURES=1. */
const folder =
  process.env.SAVE_PICTURES === undefined
    ? mkdtempSync(join(tmpdir(), 'pictures-'))
    : join(repository, 'docs/images');

/** A company that shares with some, is asked by one, and is read. */
async function prepare({ operator, fixtures, get, post }: TestService) {
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
  return { company, granted: northlight.requestId, waiting: sandbox.requestId };
}

describe.skipIf(!hasChromium || !isFull)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });

  describeDesk('pictures of the documentation', (given) => {
    it('show the pages as they are', async () => {
      const service = given();
      const { company, granted, waiting } = await prepare(service);
      const contact = await signIn(service, company.id, 'dana@juniper.example');
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        locale: 'en-GB',
        colorScheme: 'light',
      });
      await enter(context, service.url, contact);
      const page = await context.newPage();
      mkdirSync(folder, { recursive: true });
      const pages = {
        inbox: '/desk/',
        request: `/desk/requests/${waiting}`,
        grants: '/desk/grants',
        activity: '/desk/activity',
        receipts: `/desk/requests/${granted}/receipts`,
      };
      for (const [name, path] of Object.entries(pages)) {
        const response = await page.goto(service.url + path);
        expect(response?.status(), path).toBe(200);
        if (name === 'receipts') await page.locator('.mark.good, .badge.good').first().waitFor();
        const picture = await page.screenshot({ path: join(folder, `desk-${name}.png`) });
        expect(picture.length).toBeGreaterThan(10_000);
      }
      await context.close();
    });
  });
});
