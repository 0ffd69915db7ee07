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

/** Forgets a browser that has ended, so that the next file starts a new one. */
function forget(): void {
  browser = undefined;
}

/** Returns one browser for all files of a process. It ends with the process. Contexts separate the tests. */
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
 * Windows with and without scripts in each language. Covers each pair of these choices, and all combinations in a full
 * run.
 */
export const windows = [{ width: 390, height: 844 }, desktop].flatMap((viewport, wide) =>
  [true, false].flatMap((javaScriptEnabled, without) =>
    (['en', 'de'] as const)
      .filter((_, german) => isFull || (wide + without + german) % 2 === 0)
      .map((locale) => ({ viewport, javaScriptEnabled, locale })),
  ),
);

/** Signs a contact in for all pages of a context. */
export async function enter(context: BrowserContext, url: string, { session }: Visitor) {
  await context.addCookies([{ name: deskCookie, value: session, url: `${url}/desk` }]);
}

/** Opens a page in its own context, as a signed-in contact or without a session. */
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

/** Returns true for a request to the stream of an open page. */
export const isOfEvents = (request: Pick<Request, 'url'>) => request.url().includes('/desk/events');

/** Opens a page with live updates, and waits until they are connected. */
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
      // A request that ends after the page was left has no size.
      page.off('requestfinished', note);
      return (await Promise.all(loads.values())).reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}

/**
 * Collects what a page must not do: console errors and warnings, page errors and requests to other origins. Leaves out
 * the provider's pages.
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

/** Opens a page for all tests of a file. Opening a new one would take longer than the tests. */
export async function openSharedPage(url: string, options: BrowserContextOptions) {
  const page = await (await openChromium()).newPage(options);
  const complaints = watchPage(page, url);
  return {
    page,
    complaints,
    /** Resets what a test has opened and changed, and signs the next contact in. */
    async renew(contact: Visitor): Promise<void> {
      await page.goto('about:blank');
      await page.unrouteAll();
      complaints.length = 0;
      await enter(page.context(), url, contact);
    },
  };
}

/**
 * Returns axe's violations by rule and place. The script is evaluated, because the page's own policy would refuse it.
 * Without scripts there are no timers, so axe runs delayed work at once.
 */
export async function findAxeViolations(page: Page, javaScriptEnabled = true): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async (hasTimers) => {
    // biome-ignore lint/suspicious/noExplicitAny: a script of the page
    const page = globalThis as any;
    if (!hasTimers) page.setTimeout = (act: () => void) => act();
    const result = await page.axe.run({
      // Leaves out passed rules, because listing them takes axe longer than finding violations.
      resultTypes: ['violations'],
      // Would wait for styles from other origins, which no page has.
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

/** Returns by how many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
