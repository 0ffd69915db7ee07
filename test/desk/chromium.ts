import { existsSync } from 'node:fs';
import axe from 'axe-core';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Request,
} from 'playwright-core';
import { chromium } from 'playwright-core';
import { isFull } from '../support/property-runs.ts';
import { deskCookie, type Visitor } from './desk.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((path) => existsSync(path));

export const hasChromium = executablePath !== undefined;
if (!hasChromium) console.error('SKIPPED: the desk in a browser: Chromium is not installed');

let browser: Promise<Browser> | undefined;

/** Forgets a browser that has ended, so that the next test file starts another one. */
function forget(): void {
  browser = undefined;
}

/** The browser ends with the process, and its test files share it. Each test has its own context. */
export function openChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('Chromium is not installed');
  browser ??= chromium
    .launch({ executablePath, args: ['--no-sandbox'] })
    .then((launched) => launched.once('disconnected', forget))
    .catch((error: unknown) => {
      forget();
      throw error;
    });
  return browser;
}

export const phone = { width: 360, height: 740 };
export const desktop = { width: 1280, height: 900 };

/**
 * Windows of different widths, with and without scripts, in each language. Only a full run has all
 * combinations. Other runs have each pair of choices at least once.
 */
export const windows = [{ width: 390, height: 844 }, desktop].flatMap((viewport, wide) =>
  [true, false].flatMap((javaScriptEnabled, without) =>
    (['en', 'de'] as const)
      .filter((_, german) => isFull || (wide + without + german) % 2 === 0)
      .map((locale) => ({ viewport, javaScriptEnabled, locale })),
  ),
);

/** Adds a contact's session cookie, so that all pages of the context are signed in. */
export async function enter(context: BrowserContext, url: string, { session }: Visitor) {
  await context.addCookies([{ name: deskCookie, value: session, url: `${url}/desk` }]);
}

export async function openPage(
  url: string,
  visitor: Visitor | null,
  options: BrowserContextOptions = {},
) {
  const context = await (await openChromium()).newContext(options);
  if (visitor !== null) await enter(context, url, visitor);
  const page = await context.newPage();
  return { context, page, complaints: watchPage(page, url) };
}

export const isOfEvents = (request: Pick<Request, 'url'>) => request.url().includes('/desk/events');

export async function openLive(page: Page, address: string): Promise<void> {
  const listening = page.waitForResponse((response) => isOfEvents(response.request()));
  await page.goto(address);
  await listening;
}

/** Records the paths that a page loads from now on, and their bytes with headers. */
export function watchLoads(page: Page) {
  const loads = new Map<string, Promise<number>>();
  const note = (request: Request) =>
    loads.set(
      new URL(request.url()).pathname,
      request.sizes().then((each) => each.responseHeadersSize + each.responseBodySize),
    );
  page.on('requestfinished', note);
  return {
    paths: () => [...loads.keys()].toSorted(),
    async total(): Promise<number> {
      // A request that ends after the page was left has no size, so it isn't recorded.
      page.off('requestfinished', note);
      return (await Promise.all(loads.values())).reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}

/**
 * Collects a page's console errors and warnings, exceptions, and requests to other origins. Ignores
 * pages of the OpenID provider.
 */
export function watchPage(page: Page, url: string, provider?: string): string[] {
  const complaints: string[] = [];
  const isOfProvider = (place: string) => provider !== undefined && place.startsWith(provider);
  page.on('console', (message) => {
    if (isOfProvider(message.location().url)) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const place = request.url();
    if (!place.startsWith(`${url}/`) && !isOfProvider(place)) complaints.push(`asked for ${place}`);
  });
  return complaints;
}

/** All tests of a file share one page, because opening a page takes longer than the tests. */
export async function openSharedPage(url: string, options: BrowserContextOptions) {
  const page = await (await openChromium()).newPage(options);
  const complaints = watchPage(page, url);
  return {
    page,
    complaints,
    async renew(contact: Visitor): Promise<void> {
      await page.goto('about:blank');
      await page.unrouteAll();
      complaints.length = 0;
      await enter(page.context(), url, contact);
    },
  };
}

/**
 * Returns the violations that axe finds. A script element would break the page's content security
 * policy, so this evaluates axe directly. Timers don't work without scripts, so axe then runs
 * delayed work at once.
 */
export async function findAxeViolations(page: Page, javaScriptEnabled = true): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async (hasTimers) => {
    // biome-ignore lint/suspicious/noExplicitAny: a script of the page
    const page = globalThis as any;
    if (!hasTimers) page.setTimeout = (act: () => void) => act();
    const result = await page.axe.run({
      // Listing rules without violations takes longer than finding violations.
      resultTypes: ['violations'],
      // Preloading would wait for styles from other origins, but pages have none.
      preload: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    // biome-ignore lint/suspicious/noExplicitAny: the result of axe
    return result.violations.map((each: any) => [
      each.id,
      // biome-ignore lint/suspicious/noExplicitAny: the result of axe
      each.nodes.map((node: any) => node.target.join(' ')).join(', '),
    ]);
  }, javaScriptEnabled);
  return violations.map((parts: string[]) => parts.join(': '));
}

/** The number of pixels by which a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
