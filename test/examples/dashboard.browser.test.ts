// @module-tag full
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desktop,
  findAxeViolations,
  hasChromium,
  openChromium,
  overflowOf,
  phone,
  watchPage,
} from '../desk/chromium.ts';
import { killLeftovers, startProcess } from '../support/processes.ts';
import { type Demo, startDemo } from './demo.ts';

const folder = resolve(import.meta.dirname, '../../examples/dashboard');
const hasPackages = existsSync(join(folder, 'node_modules/vite'));
if (!hasPackages) {
  console.error(
    'SKIPPED: the example of a dashboard: run "npm --prefix examples/dashboard ci" first',
  );
}

const pictures =
  process.env.SAVE_PICTURES === undefined ? mkdtempSync(join(tmpdir(), 'pictures-')) : folder;

describe.skipIf(!hasPackages || !hasChromium)('the example of a dashboard', () => {
  let demo: Demo;
  let url: string;
  let page: Page;
  let complaints: string[];
  const received: string[] = [];

  beforeAll(async () => {
    demo = await startDemo();
    const settings = { KEY: demo.key, PORTFOLIO_ACCESS_URL: demo.url, PORT: '0' };
    const dashboard = startProcess(settings, ['npm', '--prefix', folder, 'start']);
    const line = await dashboard.waitFor(/^The dashboard is at/);
    url = line.replace('The dashboard is at ', '');
    page = await (await openChromium()).newPage({
      viewport: desktop,
      colorScheme: 'light',
      // With animations, axe would measure the contrast of a dialog during its fade-in.
      reducedMotion: 'reduce',
    });
    complaints = watchPage(page, url);
    page.on('response', async (response) => {
      received.push(JSON.stringify(response.headers()));
      if (!response.url().endsWith('/events')) received.push(await response.text());
    });
    await page.goto(url);
  });
  afterAll(async () => {
    await page?.close();
    killLeftovers();
    await demo?.close();
  });

  const cardOf = (name: string) =>
    page.getByRole('article').filter({ has: page.getByRole('link', { name, exact: true }) });

  it('shows the data of companies that share it, and a reason for each other company', async () => {
    await cardOf('Harbor Robotics')
      .getByText(/^\$[\d.]+M$/)
      .first()
      .waitFor();
    await cardOf('Juniper Health').getByText('has not answered yet').waitFor();
    await cardOf('Orchard Foods').getByText('Our reporting moved elsewhere.').waitFor();
    expect(await cardOf('Juniper Health').getByRole('button').count()).toBe(0);
    await page.getByRole('status').getByText('Live').waitFor();
  });

  it('requests access to a company, and shows its figures as soon as the company approves', async () => {
    const card = cardOf('Sandbox: approves');
    await card.getByRole('button', { name: 'Ask for access' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ask Sandbox: approves for access' });
    await dialog.getByLabel('Sources').check();
    await dialog.getByLabel('What for?').fill('Quarterly review');
    await dialog.getByRole('button', { name: 'Ask' }).click();
    await card.getByText('Runway').waitFor();
    const { data } = await demo.ask('GET', '/v1/access-requests');
    expect(data[0]).toMatchObject({
      company_id: 'co_test_approves',
      approved_scopes: ['metrics:read', 'sources:read'],
      purpose: 'Quarterly review',
    });
  });

  it('shows approvals and revocations of a company without a reload', async () => {
    const card = cardOf('Juniper Health');
    await demo.decide('approve');
    await card.getByText('Runway').waitFor();
    await page.screenshot({ path: join(pictures, 'portfolio.png') });
    await demo.decide('revoke', { reason: 'Our round is closed' });
    await card.getByText('Our round is closed').waitFor();
    expect(await card.getByText('Runway').count()).toBe(0);
  });

  it('shows a company with charts, and offers to request the scopes that its grant lacks', async () => {
    await cardOf('Sandbox: approves').getByRole('link').click();
    await page
      .getByRole('figure')
      .filter({ hasText: 'Cash balance' })
      .locator('path')
      .first()
      .waitFor();
    expect(await page.getByRole('figure').count()).toBe(2);
    await page.getByRole('row', { name: /Cash balance/ }).waitFor();
    const accounts = page.locator('section').filter({ hasText: /^Account/ });
    await accounts.getByRole('button', { name: 'Ask for access' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox').first().waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(1);
    await dialog.getByLabel('What for?').fill('Treasury');
    await dialog.getByRole('button', { name: 'Ask' }).click();
    await accounts.getByRole('table').waitFor();
  });

  it.each([phone, desktop])(
    'fits into a window of $width pixels, and axe finds no problem',
    async (viewport) => {
      await page.setViewportSize(viewport);
      for (const path of ['/#/', '/#/co_harbor']) {
        await page.goto(`${url}${path}`);
        await page.getByText('Cash').first().waitFor();
        expect(await overflowOf(page)).toBe(0);
        expect(await findAxeViolations(page), path).toEqual([]);
      }
      await page.goto(`${url}/#/`);
      await cardOf('Juniper Health').getByRole('button', { name: 'Ask for access' }).click();
      await page.getByRole('dialog').getByLabel('What for?').waitFor();
      expect(await findAxeViolations(page), 'asking').toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  );

  it('has no key in the browser, and sends only its own queries', async () => {
    expect(received.join().length).toBeGreaterThan(100_000);
    expect(received.join()).not.toMatch(/svc_sk_/);
    const body = JSON.stringify({ operationName: 'Other', query: '{ apiKey { hint } }' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    const status = await new Promise((done) =>
      request(`${url}/`, { headers: { host: 'elsewhere.example' } }, (response) =>
        done(response.resume().statusCode),
      ).end(),
    );
    expect(status).toBe(421);
    expect(complaints).toEqual([]);
  });

  it('shows how long it waits for its rate limit, and then continues', async () => {
    const patient = await (await openChromium()).newPage();
    let refusals = 1;
    await patient.route('**/graphql', (route) => {
      refusals -= 1;
      return refusals < 0
        ? route.continue()
        : route.fulfill({ status: 429, headers: { 'retry-after': '3' } });
    });
    await patient.goto(url);
    await patient
      .getByRole('status')
      .filter({ hasText: /used up: wait \d s$/ })
      .waitFor();
    await patient.getByRole('link', { name: 'Harbor Robotics', exact: true }).waitFor();
    await expect.poll(() => patient.getByRole('status').textContent()).toBe('Live');
    await patient.close();
  });

  it('compiles without type errors', async () => {
    const checked = promisify(execFile)('npm', ['--prefix', folder, 'run', '-s', 'types'], {
      env: { ...process.env, FORCE_COLOR: '0' },
    });
    await expect(checked).resolves.toBeDefined();
  });
});
