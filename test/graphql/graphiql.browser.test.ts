// @module-tag full
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasChromium, openChromium, watchPage } from '../desk/chromium.ts';
import { isFull } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';

describe.skipIf(!hasChromium)('GraphiQL in Chromium', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      environment: { GRAPHQL_INTROSPECTION: 'on' },
      isReachedDirectly: true,
    });
    browser = await openChromium();
  });
  afterAll(async () => {
    await service?.close();
  });

  async function open() {
    const page = await browser.newPage({ viewport: desktop });
    const complaints = watchPage(page, service.url);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.postData() ?? '');
    });
    await page.goto(`${service.url}/graphql`);
    return { page, complaints, asked };
  }

  async function give(page: Page, key: string) {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Open GraphiQL' }).click();
  }

  it('asks for the key first, and then shows documentation and completion at once', async () => {
    const { key } = await service.fixtures.portfolio();
    const { page, complaints, asked } = await open();
    await page.getByLabel('API key').waitFor();
    expect(asked).toEqual([]);
    await give(page, key);
    await page.getByText('CompanyConnection', { exact: true }).waitFor();
    expect(asked.some((body) => body.includes('IntrospectionQuery'))).toBe(true);

    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.result-window').getByText('LIVE').waitFor();

    const editor = page.locator('.graphiql-query-editor .monaco-editor').first();
    await editor.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('{ access');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget').getByText('accessRequests').first().waitFor();

    expect(complaints.filter((text) => !text.startsWith('asked for blob:'))).toEqual([]);
    const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(stored).not.toContain(key);
    await page.close();
  });

  it.runIf(isFull)('reports the problem of a wrong key, and then accepts a valid key', async () => {
    const { key } = await service.fixtures.portfolio();
    const { page } = await open();
    const alert = page.getByRole('alert');
    await give(page, `svc_sk_live_${'x'.repeat(32)}`);
    await alert.getByText('The API key is not valid.').waitFor();
    await give(page, 'a key – pasted wrongly');
    await alert.getByText('The API key is not valid.').waitFor();
    await give(page, ` ${key} `);
    await page.getByText('CompanyConnection', { exact: true }).waitFor();
    await page.close();
  });
});
