import type { TestProvider } from '../support/openid-provider.ts';
import type { TestService } from '../support/service.ts';
import { type Seen, see } from './desk.ts';

/** Keeps the cookies of every host, and follows redirects only on request. */
class SimpleBrowser {
  readonly #jars = new Map<string, Map<string, string>>();

  cookies(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }

  async open(url: string, init: RequestInit = {}): Promise<Seen & { readonly url: string }> {
    const jar = this.cookies(url);
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) };
    const seen = await see(await fetch(url, { redirect: 'manual', ...init, headers }));
    for (const line of seen.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return { ...seen, url };
  }

  /** Follows redirects until `whither` returns true for a target. */
  async follow(url: string, whither: (url: string) => boolean): Promise<string> {
    let at = url;
    for (let steps = 0; !whither(at); steps += 1) {
      const { location } = await this.open(at);
      if (location === null || steps > 10) throw new Error(`nothing leads on from ${at}`);
      at = new URL(location, at).href;
    }
    return at;
  }
}

export const beginPath = '/desk/sign-in/oidc';
export const callbackPath = `${beginPath}/callback`;

export function aPerson(service: TestService, provider: TestProvider, account: string) {
  const browser = new SimpleBrowser();
  const isBack = (url: string) => url.startsWith(service.url + callbackPath);
  const isAsked = (url: string) => url.startsWith(`${provider.issuer}/interaction/`);

  async function begin(): Promise<string> {
    const { location, status } = await browser.open(service.url + beginPath);
    if (location === null) throw new Error(`nobody can begin: ${status}`);
    return location;
  }

  /** Signs in at the provider or leaves it, and returns the address to which the provider redirects. */
  async function visitProvider(url: string, fields: Record<string, string> = { account }) {
    const at = await browser.follow(url, (each) => isBack(each) || isAsked(each));
    if (isBack(at)) return at;
    const body = new URLSearchParams(fields);
    const { location } = await browser.open(at, { method: 'POST', body });
    return browser.follow(new URL(location ?? '', at).href, isBack);
  }

  return {
    browser,
    begin,
    visitProvider,
    async signIn(): Promise<Seen> {
      return browser.open(await visitProvider(await begin()));
    },
    get: (path: string) => browser.open(service.url + path),
    post: (path: string, fields: Record<string, string>) =>
      browser.open(service.url + path, {
        method: 'POST',
        headers: { origin: service.url },
        body: new URLSearchParams(fields),
      }),
  };
}
