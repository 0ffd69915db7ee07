import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../support/property-runs.ts';
import type { TestService } from '../support/service.ts';
import {
  findAxeViolations,
  hasChromium,
  openPage,
  openSharedPage,
  overflowOf,
  phone,
} from './chromium.ts';
import { companyWithRequest, decode, describeDesk } from './desk.ts';

/** A request with four receipts, because it was partly approved, extended and revoked. */
async function decided(service: TestService) {
  const made = await companyWithRequest(service);
  const change = (decision: string, body: object) =>
    service.call('POST', `/company/v1/access-requests/${made.requestId}/${decision}`, {
      key: made.companyKey,
      body,
    });
  const after = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await change('approve', { scopes: ['metrics:read'], expires_at: after(30) });
  await change('extend', { expires_at: after(60) });
  const { status } = await change('revoke', { reason: 'The <b>round</b> is closed.' });
  expect(status).toBe(200);
  return { ...made, path: `/desk/requests/${made.requestId}/receipts` };
}

/** Changes one character in the middle of a JWS's header, payload or signature. */
function change(jws: string, part: 0 | 1 | 2): string {
  const parts = jws.split('.');
  const text = parts[part] ?? '';
  const place = Math.floor(text.length / 2);
  const other = text[place] === 'A' ? 'B' : 'A';
  parts[part] = `${text.slice(0, place)}${other}${text.slice(place + 1)}`;
  return parts.join('.');
}

/** The verifier has other tests without a browser, so these need only a full run. */
const inFull = it.runIf(isFull);

describeDesk('receipts', (given) => {
  it('show each decision in words, with its author, its time and the end of access', async () => {
    const { contact, path, investor } = await decided(given());
    const page = await contact.get(path);
    expect(page.status).toBe(200);
    const items = page.text.split('<li data-receipt>').slice(1);
    expect(items).toHaveLength(4);
    const wanted = ['Asked for access', 'Approved', 'Extended', 'Revoked'];
    for (const [place, item] of items.entries()) {
      expect(item).toContain(`<strong>${wanted[place]}</strong>`);
      expect(item).toMatch(/<time datetime="[\d-]+T[\d:.]+Z"[^>]*>[^<]+ UTC<\/time>/);
    }
    expect(items[0]).toContain(`by the investor ${investor.name}`);
    expect(items[0]).toContain('Metrics, Accounts, and Sources');
    expect(items[1]).toMatch(/by the company key [^<]*…/);
    expect(items[1]).toMatch(/<dt>Can read<\/dt><dd>Metrics<\/dd>/);
    expect(items[1]).toMatch(/<dt>Until<\/dt><dd><time/);
    expect(decode(items[3] ?? '')).toContain('<blockquote dir="auto">The <b>round</b> is closed.');
    expect(items[3]).not.toContain('<b>round');
  });

  it('can be saved as a file with the list that the company API returns', async () => {
    const service = given();
    const { contact, path, requestId, companyKey } = await decided(service);
    const file = await contact.get(`${path}.json`);
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="receipts-${requestId}.json"`,
    );
    expect(file.headers.get('content-type')).toContain('application/json');
    const { body } = await service.call(
      'GET',
      `/company/v1/access-requests/${requestId}/receipts`,
      { key: companyKey },
    );
    // Each response contains a newly signed head.
    expect(JSON.parse(file.text)).toEqual({ ...body, head: expect.any(String) });
    expect(body.head).toEqual(expect.any(String));
  });

  inFull('are all shown and saved, even if they don’t fit on one page of the API', async () => {
    const service = given();
    const { contact, requestId, companyKey } = await companyWithRequest(service);
    const path = `/company/v1/access-requests/${requestId}`;
    const ends = Array.from(
      { length: 205 },
      (_, day) => new Date(Date.now() + (day + 2) * 86_400_000),
    );
    for (const [place, end] of ends.entries()) {
      const { status } = await service.call(
        'POST',
        `${path}/${place === 0 ? 'approve' : 'extend'}`,
        {
          key: companyKey,
          body: { expires_at: end.toISOString() },
        },
      );
      expect(status).toBe(200);
    }
    const { text } = await contact.get(`/desk/requests/${requestId}/receipts`);
    expect(text.split('<li data-receipt>')).toHaveLength(ends.length + 2);
    const file = JSON.parse((await contact.get(`/desk/requests/${requestId}/receipts.json`)).text);
    expect(file).toMatchObject({ has_more: false, next_cursor: null });
    expect(file.data).toHaveLength(ends.length + 1);
  });

  it('the desk serves the modules of the verifier and no other file', async () => {
    const { url } = given();
    const statusOf = async (path: string) => (await fetch(`${url}/desk/assets/${path}`)).status;
    const verifier = await fetch(`${url}/desk/assets/verify/index.js`);
    expect(verifier.headers.get('cache-control')).toContain('immutable');
    expect(verifier.headers.get('content-type')).toContain('text/javascript');
    for (const path of [
      'verify/index.ts',
      'verify/package.json',
      'verify/README.md',
      'verify/..%2fpackage.json',
      'jose/index.js',
      'jose/jwt/sign.js',
      'jose/..%2f..%2fpackage.json',
      'jose/',
    ]) {
      expect(await statusOf(path), path).toBe(404);
    }
    expect(await statusOf('jose/jws/compact/verify.js')).toBe(200);
  });

  it('have a message for each error that the verifier may return', async () => {
    const { contact, path } = await decided(given());
    const { text } = await contact.get(path);
    const words = [...text.matchAll(/data-word="([^"]*)"/g)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    const source = await readFile(join(import.meta.dirname, '../../verify/failure.ts'), 'utf8');
    const ofMetrics = ['not_signed', 'field_missing'];
    const reasons = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, reason = '']) => reason);
    expect(reasons).toContain('bad_signature');
    expect(reasons.filter((reason) => !words.includes(reason))).toEqual(ofMetrics);
  });

  describe.skipIf(!hasChromium)('in Chromium', () => {
    let made: Awaited<ReturnType<typeof decided>>;
    let shared: Awaited<ReturnType<typeof openSharedPage>>;
    let page: Page;
    let complaints: string[];
    const sent: string[] = [];
    beforeAll(async () => {
      made = await decided(given());
      shared = await openSharedPage(given().url, { locale: 'en', viewport: phone });
      ({ page, complaints } = shared);
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
      });
    });
    afterAll(() => page?.close());

    /** Opens the page with receipts after `tamper` has changed its markup. */
    async function open(tamper: (markup: string) => string = (markup) => markup): Promise<void> {
      const target = given().url + made.path;
      await shared.renew(made.contact);
      sent.length = 0;
      await page.route(target, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: tamper(await response.text()) });
      });
      await page.goto(target);
    }

    async function verdict(kind: 'good' | 'bad'): Promise<string> {
      const shown = page.locator(`#verdict > .${kind}`);
      await shown.waitFor();
      return shown.innerText();
    }
    const eachJws = /(<code data-jws>)([^<]+)/g;

    it('show a green mark for a valid chain, and for each receipt', async () => {
      await open();
      expect(await verdict('good')).toContain('Checked by your browser');
      expect(await page.locator('[data-mark].good').count()).toBe(4);
      expect(await page.locator('[data-mark].bad').count()).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect([complaints, sent]).toEqual([[], []]);
    });

    for (const part of [1, 0, 2] as const) {
      (part === 1 ? it : inFull)(
        `one changed character in part ${part + 1} of a receipt marks the receipt as invalid, with the reason`,
        async () => {
          let place = 0;
          await open((markup) =>
            markup.replace(
              eachJws,
              (_, start, jws) => start + (++place === 3 ? change(jws, part) : jws),
            ),
          );
          expect(await verdict('bad')).toMatch(/Receipt 3: [A-Z][^_]+\.$/);
          expect(await page.locator('[data-mark].good').count()).toBe(2);
          expect(await page.locator('[data-receipt]:nth-child(3) [data-mark].bad').count()).toBe(1);
          expect(await findAxeViolations(page)).toEqual([]);
          expect(complaints).toEqual([]);
        },
      );
    }

    inFull('a missing or moved receipt is reported', async () => {
      const missing = 'A receipt before it is missing';
      for (const [tamper, reason] of [
        [(items: string[]) => items.toSpliced(1, 1), missing],
        [(items: string[]) => items.toSpliced(0, 1), missing],
        [(items: string[]) => items.with(1, items[2] ?? '').with(2, items[1] ?? ''), missing],
        // The request's current status proves that the last receipt is missing.
        [(items: string[]) => items.slice(0, -1), 'The newest receipts are missing'],
      ] as const) {
        await open((markup) =>
          markup.replace(/<li data-receipt>.*<\/li>(?=\s*<\/ol>)/s, (list) =>
            tamper(list.split(/(?=<li data-receipt>)/)).join(''),
          ),
        );
        expect(await verdict('bad')).toContain(reason);
      }
      expect(await page.locator('[data-mark].good').count()).toBe(3);
    });

    inFull('a key that the service does not publish is reported', async () => {
      await open();
      await page.route('**/.well-known/jwks.json', (route) =>
        route.fulfill({ json: { keys: [] } }),
      );
      await page.reload();
      expect(await verdict('bad')).toContain('doesn’t belong to this service');
    });

    inFull(
      'no mark is shown if the keys can’t be loaded, and the page explains another way to check',
      async () => {
        await open();
        await page.route('**/.well-known/jwks.json', (route) => route.abort());
        await page.reload();
        await page.getByText('Your browser couldn’t check').waitFor();
        expect(await page.locator('[data-mark]:visible').count()).toBe(0);
      },
    );

    inFull('a saved file is checked in the browser, without being sent', async () => {
      const { text } = await made.contact.get(`${made.path}.json`);
      const list = JSON.parse(text);
      await open();
      await verdict('good');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const check = async (content: string) => {
        const file = { name: 'receipts.json', mimeType: 'application/json' };
        await page
          .getByLabel('A file of receipts')
          .setInputFiles({ ...file, buffer: Buffer.from(content) });
        await page.getByRole('button', { name: 'Check', exact: true }).click();
        const verdict = page.locator('#file-verdict > .good, #file-verdict > .bad');
        await verdict.waitFor();
        const told = await verdict.innerText();
        await page.locator('#file-verdict').evaluate((element) => element.replaceChildren());
        return told;
      };
      const withJws = (place: number, jws: string) =>
        JSON.stringify({ ...list, data: list.data.with(place, { ...list.data[place], jws }) });

      const good = await check(text);
      expect(good).toContain('Checked by your browser');
      expect(good).toContain(made.requestId);
      expect(good).toContain(made.investor.name);
      expect(good).toContain('Revoked');
      expect(await findAxeViolations(page)).toEqual([]);
      expect(await check(JSON.stringify(list.data))).toContain('Checked by your browser');
      expect(await check(withJws(1, change(list.data[1].jws, 1)))).toContain('Receipt 2: ');
      expect(await check(withJws(2, change(list.data[2].jws, 2)))).toContain('Receipt 3: ');
      expect(await check(JSON.stringify({ ...list, data: list.data.toSpliced(1, 1) }))).toContain(
        'is missing',
      );
      expect(await check(JSON.stringify({ ...list, data: [] }))).toContain(
        'It contains no receipt',
      );
      expect(await check('{"data": 7}')).toContain('is something else');
      expect(await check('no JSON')).toContain('is something else');
      expect(new Set(asked)).toEqual(new Set(['/.well-known/jwks.json']));
      expect([complaints, sent]).toEqual([[], []]);
    });

    inFull('the page explains another way to check if scripts are off', async () => {
      const { url } = given();
      const options = { locale: 'en', javaScriptEnabled: false };
      const { context, page, complaints } = await openPage(url, made.contact, options);
      await page.goto(url + made.path);
      expect(await page.locator('noscript .notice').isVisible()).toBe(true);
      expect(await page.getByText(/^portfolio-access verify receipts-/).innerText()).toBe(
        `portfolio-access verify receipts-${made.requestId}.json --jwks ${given().url}/.well-known/jwks.json`,
      );
      expect(await page.locator('#check').isVisible()).toBe(false);
      expect(await page.locator('[data-receipt]').count()).toBe(4);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});
