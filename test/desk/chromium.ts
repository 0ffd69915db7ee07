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

/** One that has ended is of no use to the files that come. */
function forget(): void {
  browser = undefined;
}

/** One for all files of a process, which ends with it: what is seen in it stays within a context. */
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

/** Windows with and without scripts in each language: each two of these choices meet, in full all three of them do. */
export const windows = [{ width: 390, height: 844 }, desktop].flatMap((viewport, wide) =>
  [true, false].flatMap((javaScriptEnabled, without) =>
    (['en', 'de'] as const)
      .filter((_, german) => isFull || (wide + without + german) % 2 === 0)
      .map((locale) => ({ viewport, javaScriptEnabled, locale })),
  ),
);

/** Lets the pages of a context be those of a contact who is signed in. */
export async function enter(context: BrowserContext, url: string, { session }: Visitor) {
  await context.addCookies([{ name: deskCookie, value: session, url: `${url}/desk` }]);
}

/** A page in a context of its own, as a contact who is signed in sees it, or nobody. */
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

/** Whether something is asked of the stream of an open page. */
export const isOfEvents = (request: Pick<Request, 'url'>) => request.url().includes('/desk/events');

/** Opens a page that follows what happens, and waits until it does. */
export async function openLive(page: Page, address: string): Promise<void> {
  const listening = page.waitForResponse((response) => isOfEvents(response.request()));
  await page.goto(address);
  await listening;
}

/** What a page loads from now on: the paths, and how many bytes come with all headers. */
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
      // What comes later, when the page is left, has no size.
      page.off('requestfinished', note);
      return (await Promise.all(loads.values())).reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}

/**
 * Everything that a page must not do: messages of the console, requests elsewhere, failed ones. What a provider's own pages
 * do is its own matter.
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

/** A page for all tests of a file, where opening one anew takes longer than what is looked at on it. */
export async function openSharedPage(url: string, options: BrowserContextOptions) {
  const page = await (await openChromium()).newPage(options);
  const complaints = watchPage(page, url);
  return {
    page,
    complaints,
    /** Leaves what a test has opened and changed, and lets the next one be another contact. */
    async renew(contact: Visitor): Promise<void> {
      await page.goto('about:blank');
      await page.unrouteAll();
      complaints.length = 0;
      await enter(page.context(), url, contact);
    },
  };
}

/**
 * What axe finds wrong with a page, by rule and place. The page's own policy would refuse the script, so it is evaluated.
 * Where no script runs, no timer does, so axe does at once what it would leave for a moment later.
 */
export async function findAxeViolations(page: Page, javaScriptEnabled = true): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async (hasTimers) => {
    // biome-ignore lint/suspicious/noExplicitAny: a script of the page
    const page = globalThis as any;
    if (!hasTimers) page.setTimeout = (act: () => void) => act();
    const result = await page.axe.run({
      // What is right need not be listed: that takes axe longer than to find what is wrong.
      resultTypes: ['violations'],
      // It would wait for styles that come from elsewhere, which no page has.
      preload: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    // biome-ignore lint/suspicious/noExplicitAny: what axe answers
    return result.violations.map((each: any) => [
      each.id,
      // biome-ignore lint/suspicious/noExplicitAny: what axe answers
      each.nodes.map((node: any) => node.target.join(' ')).join(', '),
    ]);
  }, javaScriptEnabled);
  return violations.map((parts: string[]) => parts.join(': '));
}

/** By how many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
