import type { JWTPayload } from 'jose';
import { afterAll, expect, it } from 'vitest';
import { readOwnPayload } from '#core';
import { type Account, startProvider } from '../support/openid-provider.ts';
import { browse, decide, describeDesk, deskCookie, visit } from './desk.ts';
import { aPerson, beginPath, callbackPath } from './provider.ts';

const provider = await startProvider();
const away = await startProvider();
await away.close();
afterAll(() => provider.close());
let names = 0;

describeDesk(
  'signing in at the OpenID provider',
  (given) => {
    function somebody(account: Account) {
      const name = `person${++names}`;
      provider.register(given().url + callbackPath);
      provider.accounts.set(name, account);
      return { name, person: aPerson(given(), provider, name) };
    }

    async function contact(account: Account = {}) {
      const service = given();
      const company = await service.fixtures.company();
      const email = `${company.id.replaceAll('_', '')}@harbor.example`;
      const { id } = await service.operator.addContact({ companyId: company.id, email });
      const somebodyOf = somebody({ email, email_verified: true, ...account });
      return { service, company, email, id, ...somebodyOf };
    }

    it('opens the desk for the contact with the verified address, and shows the way of signing in', async () => {
      const { person, email } = await contact();
      const signedIn = await person.signIn();
      expect(signedIn).toMatchObject({ status: 303, location: '/desk/' });
      expect((await person.get('/desk/')).text).toContain(email);
      expect((await person.get('/desk/sessions')).text).toContain('signed in with OpenID Connect');
    });

    it('is offered next to the sign-in link, with the provider’s configured name', async () => {
      const { text } = await browse(given()).get('/desk/sign-in');
      expect(text).toContain(`href="${beginPath}">Sign in with Harbor ID</a>`);
      expect(text).toContain('action="/desk/sign-in"');
    });

    it('returns to the requested page', async () => {
      const { person } = await contact();
      expect((await person.get('/desk/grants')).location).toBe('/desk/sign-in?because=ended');
      expect((await person.signIn()).location).toBe('/desk/grants');
    });

    it('continues through an intermediate page if the provider is on another site, so figures open without a click', async () => {
      const { person } = await contact();
      const back = await person.visitProvider(await person.begin());
      const headers = { 'sec-fetch-site': 'cross-site' };
      const opened = await person.browser.open(back, { headers });
      expect(opened).toMatchObject({ status: 200, location: null });
      expect(opened.headers.get('refresh')).toBe('0; url=/desk/');
      expect(opened.text).toContain('href="/desk/">Continue</a>');
      expect((await person.get('/desk/')).status).toBe(200);
    });

    it('sends PKCE, state and nonce to the provider, and returns only to the public address', async () => {
      const { person, service } = await contact();
      const { location, headers } = await person.browser.open(service.url + beginPath, {
        headers: { 'x-forwarded-host': 'evil.example' },
      });
      expect(headers.getSetCookie().join()).toMatch(
        /^portfolio_desk_oidc=.*; Path=\/desk\/sign-in; HttpOnly; SameSite=Lax/,
      );
      const { searchParams } = new URL(location ?? '');
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: 'portfolio-access',
        response_type: 'code',
        redirect_uri: service.url + callbackPath,
        scope: 'openid email',
        state: expect.stringMatching(/^\w+\.[\w-]{22}\.[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      });
    });

    it('never keeps a session cookie that an attacker set before', async () => {
      const { person, service, email } = await contact();
      const planted = `svc_ds_${'A'.repeat(32)}`;
      person.browser.cookies(service.url).set(deskCookie, planted);
      await person.signIn();
      expect((await visit(service, email, planted).get('/desk/')).status).toBe(303);
      expect((await person.get('/desk/')).status).toBe(200);
    });

    it('rejects an address with a special character that equals the right letter only in lower case', async () => {
      const service = given();
      const company = await service.fixtures.company();
      await service.operator.addContact({ companyId: company.id, email: 'kim@harbor.example' });
      // The Kelvin sign becomes the letter k in lower case.
      const { person } = somebody({ email: '\u{212a}im@harbor.example', email_verified: true });
      const page = await person.signIn();
      expect(page.status).toBe(403);
      expect(page.text).toContain('Your account has no address');
    });

    it.each([
      [false, 'Your address is not verified'],
      [undefined, '(the claim “email_verified”)'],
    ])(
      'refuses any address if the provider sends %j as email_verified',
      async (verified, words) => {
        const { person, email } = await contact({ email_verified: verified });
        const own = await person.signIn();
        expect(own.status).toBe(403);
        expect(own.text).toContain(words);
        expect(own.headers.getSetCookie()).toEqual([]);
        const stranger = somebody({ email: 'nobody@x.example', email_verified: verified });
        const other = await stranger.person.signIn();
        const sameForAll = ({ text }: { text: string }) => text.replaceAll(/<code>req_\w+/g, '');
        expect(sameForAll(other).replaceAll('nobody@x.example', email)).toBe(sameForAll(own));
      },
    );

    it('refuses an address without access, and offers to use another account', async () => {
      const { person } = somebody({ email: 'stranger@x.example', email_verified: true });
      const page = await person.signIn();
      expect(page.status).toBe(403);
      expect(page.text).toContain('stranger@x.example has no access');
      expect(page.text).toContain(`href="${beginPath}?other"`);
      expect((await person.get('/desk/')).location).toContain('/desk/sign-in');
      const { location } = await person.get(`${beginPath}?other`);
      expect(new URL(location ?? '').searchParams.get('prompt')).toBe('login');
    });

    it('is refused to a removed contact, whose session also ends', async () => {
      const { person, service, id, company } = await contact();
      await person.signIn();
      await service.operator.addContact({ companyId: company.id, email: 'stays@harbor.example' });
      await service.operator.removeContact({ id, lastAdmin: true });
      expect((await person.get('/desk/')).location).toBe('/desk/sign-in?because=ended');
      expect((await person.signIn()).text).toContain('No access for this address');
    });

    it('shows an error for an account without an address', async () => {
      const { person } = somebody({ email_verified: true });
      expect((await person.signIn()).text).toContain('Your account has no address');
    });

    it('shows an explanation to a person who left the provider without signing in', async () => {
      const { person } = await contact();
      const back = await person.visitProvider(await person.begin(), {});
      const page = await person.browser.open(back);
      expect(page.status).toBe(403);
      expect(page.text).toContain('Harbor ID didn’t sign you in');
    });

    it('accepts the provider’s answer only once', async () => {
      const { person, service } = await contact();
      const back = await person.visitProvider(await person.begin());
      expect((await person.browser.open(back)).status).toBe(303);
      person.browser.cookies(service.url).delete(deskCookie);
      const again = await person.browser.open(back);
      expect(again.status).toBe(400);
      expect(again.text).toContain('This sign-in has expired');
      expect(person.browser.cookies(service.url).get(deskCookie)).toBeUndefined();
    });

    it('rejects the provider’s answer if the sign-in began in another browser', async () => {
      const [attacker, victim] = [await contact(), await contact()];
      const back = await attacker.person.visitProvider(await attacker.person.begin());
      expect((await victim.person.browser.open(back)).status).toBe(400);
      await victim.person.begin();
      const page = await victim.person.browser.open(back);
      expect(page.status).toBe(400);
      expect(victim.person.browser.cookies(victim.service.url).get(deskCookie)).toBeUndefined();
    });

    it('rejects the code of one sign-in with the state of another', async () => {
      const { person } = await contact();
      const [one, other] = [await person.begin(), await person.begin()];
      const back = new URL(await person.visitProvider(one));
      back.searchParams.set('state', new URL(other).searchParams.get('state') ?? '');
      expect((await person.browser.open(back.href)).status).toBe(400);
    });

    it.each(['', `aaaaaaaa.${'A'.repeat(22)}.${'A'.repeat(43)}`])(
      'rejects an answer with the state "%s"',
      async (state) => {
        const { person } = await contact();
        const back = new URL(await person.visitProvider(await person.begin()));
        back.searchParams.set('state', state);
        expect((await person.browser.open(back.href)).status).toBe(400);
      },
    );

    it('rejects an answer from another issuer, or without an issuer', async () => {
      const { person } = await contact();
      for (const iss of ['https://evil.example', null]) {
        const back = new URL(await person.visitProvider(await person.begin()));
        if (iss === null) back.searchParams.delete('iss');
        else back.searchParams.set('iss', iss);
        const page = await person.browser.open(back.href);
        expect(page.status).toBe(502);
        expect(page.text).toContain('couldn’t verify the answer');
      }
    });

    it('lets two tabs sign in one after the other', async () => {
      const { person } = await contact();
      const [one, other] = [await person.begin(), await person.begin()];
      const backs = [await person.visitProvider(one), await person.visitProvider(other)];
      for (const back of backs) {
        expect(await person.browser.open(back)).toMatchObject({ status: 303, location: '/desk/' });
      }
    });

    it('can’t be started by a page of another site', async () => {
      const { person, service } = await contact();
      const opened = await person.browser.open(service.url + beginPath, {
        headers: { 'sec-fetch-site': 'cross-site' },
      });
      expect(opened).toMatchObject({ status: 303, location: '/desk/sign-in' });
      expect(opened.headers.getSetCookie()).toEqual([]);
    });

    it('is rate-limited per browser', async () => {
      const { person, service } = await contact();
      const path = `${service.url}${callbackPath}?code=x&state=x`;
      const statuses = new Set<number>();
      for (let count = 0; count < 70; count += 1) {
        const headers = { 'x-forwarded-for': '203.0.113.9' };
        statuses.add((await person.browser.open(path, { headers })).status);
      }
      expect([...statuses]).toEqual([400, 429]);
    });

    it('logs neither the code nor the state', async () => {
      const { person, service } = await contact();
      const back = new URL(await person.visitProvider(await person.begin()));
      await person.browser.open(back.href);
      const log = service.log.join('\n');
      expect(log).toContain(callbackPath);
      expect(log).not.toContain(back.searchParams.get('code'));
      expect(log).not.toContain(back.searchParams.get('state'));
    });

    it('is shown in the history and the receipts of the contact’s decisions', async () => {
      const service = given();
      const { company, companyKey, requestId } = await service.fixtures.asking();
      const email = `${requestId.replaceAll('_', '')}@harbor.example`;
      const { id } = await service.operator.addContact({ companyId: company.id, email });
      const { person } = somebody({ email, email_verified: true });
      await person.signIn();
      const session = person.browser.cookies(service.url).get(deskCookie) ?? '';
      const { confirm } = await decide(visit(service, email, session), requestId, 'approve');
      expect((await confirm()).status).toBe(303);
      const path = `/company/v1/access-requests/${requestId}`;
      const ask = async (what: string) => (await service.get(path + what, companyKey)).body;
      const told = { type: 'contact', id, signed_in_by: 'oidc' };
      expect((await ask('')).history.at(-1)).toMatchObject({ actor: told });
      const { data } = await ask('/receipts');
      const receipts = data.map(({ jws }: { jws: string }) => readOwnPayload<object>(jws));
      expect(receipts).toMatchObject([
        { v: 1, actor: { type: 'investor' } },
        { v: 2, actor: told },
      ]);
    });

    /** Signs in with this ID token instead of the provider's token. */
    async function answerWith(make: (nonce: string) => string | Promise<string>) {
      const { person, service } = await contact();
      const url = await person.begin();
      const back = await person.visitProvider(url);
      const token = await make(new URL(url).searchParams.get('nonce') ?? '');
      provider.replaced.set('/token', (_request, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: token }));
      });
      try {
        const { status } = await person.browser.open(back);
        const session = person.browser.cookies(service.url).get(deskCookie);
        return { status, isSignedIn: session !== undefined };
      } finally {
        provider.replaced.delete('/token');
      }
    }

    /** Returns the address of a new contact, as the forged tokens contain it. */
    async function victim() {
      const { email } = await contact();
      return { email, email_verified: true };
    }
    const refused = { status: 502, isSignedIn: false };

    it('accepts a complete token from the provider', async () => {
      const claims = await victim();
      const answered = await answerWith((nonce) => provider.sign({ ...claims, nonce }));
      expect(answered).toEqual({ status: 303, isSignedIn: true });
    });

    it.each<[string, (nonce: string) => JWTPayload]>([
      ['another nonce', () => ({ nonce: 'A'.repeat(43) })],
      ['no nonce', () => ({})],
      ['another issuer', (nonce) => ({ nonce, iss: 'https://evil.example' })],
      ['another audience', (nonce) => ({ nonce, aud: 'another-client' })],
      ['an expiry in the past', (nonce) => ({ nonce, exp: 1_700_000_000 })],
      ['a start in the future', (nonce) => ({ nonce, nbf: 4_000_000_000 })],
    ])('rejects a token with %s', async (_what, wrong) => {
      const claims = await victim();
      expect(await answerWith((nonce) => provider.sign({ ...claims, ...wrong(nonce) }))).toEqual(
        refused,
      );
    });

    it('rejects a token without a signature or with the signature of another key', async () => {
      const claims = await victim();
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const without = async (nonce: string) => {
        const [, payload] = (await provider.sign({ ...claims, nonce })).split('.');
        return `${encode({ alg: 'none' })}.${payload}.`;
      };
      expect(await answerWith(without)).toEqual(refused);
      const other = await startProvider();
      const ofOther = (nonce: string) => other.sign({ ...claims, nonce, iss: provider.issuer });
      expect(await answerWith(ofOther)).toEqual(refused);
      await other.close();
    });
  },
  { ...provider.environment, TRUSTED_PROXIES: '127.0.0.1' },
  { onDatabase: true },
);

describeDesk(
  'with a provider whose addresses are trusted',
  (given) => {
    it('sign-in works for an address without email_verified, but not with email_verified false', async () => {
      const service = given();
      const company = await service.fixtures.company();
      const email = 'entra@harbor.example';
      await service.operator.addContact({ companyId: company.id, email });
      provider.register(service.url + callbackPath);
      provider.accounts.set('entra', { email });
      const person = aPerson(service, provider, 'entra');
      expect(await person.signIn()).toMatchObject({ status: 303, location: '/desk/' });
      provider.accounts.set('unverified', { email, email_verified: false });
      const unverified = await aPerson(service, provider, 'unverified').signIn();
      expect(unverified.text).toContain('Your address is not verified');
    });
  },
  { ...provider.environment, OIDC_TRUST_EMAIL: 'on' },
  { onDatabase: true },
);

describeDesk(
  'a service without sign-in links',
  (given) => {
    it('has no page and no form that sends a sign-in link, and the operator can’t create a link', async () => {
      const service = given();
      const company = await service.fixtures.company();
      const email = 'dana@harbor.example';
      await service.operator.addContact({ companyId: company.id, email });
      const { get, post } = browse(service);
      const page = await get('/desk/sign-in');
      expect(page.text).toContain(`href="${beginPath}"`);
      expect(page.forms.map(({ action }) => action)).toEqual(['/desk/language']);
      const token = `svc_sl_${'A'.repeat(32)}`;
      expect((await post('/desk/sign-in', { email })).status).toBe(404);
      expect((await post('/desk/sign-in/confirm', { token })).status).toBe(404);
      expect((await get(`/desk/sign-in/confirm?token=${token}`)).status).toBe(404);
      const named = { companyId: company.id };
      await expect(service.operator.createSignInLink(named)).rejects.toMatchObject({
        code: 'sign_in_way_off',
      });
    });
  },
  { ...provider.environment, DESK_SIGN_IN: 'oidc' },
  { onDatabase: true },
);

describeDesk(
  'with links only, even if a provider is configured',
  (given) => {
    it('the desk offers no sign-in at the provider', async () => {
      const { get } = browse(given());
      expect((await get('/desk/sign-in')).text).not.toContain(beginPath);
      expect((await get(beginPath)).status).toBe(404);
      expect((await get(`${callbackPath}?code=x&state=x`)).status).toBe(404);
    });
  },
  { ...provider.environment, DESK_SIGN_IN: 'link' },
  { onDatabase: true },
);

describeDesk(
  'with an unreachable provider',
  (given) => {
    it('the sign-in reports that the provider doesn’t answer, and all other pages work', async () => {
      const { get } = browse(given());
      const page = await get(beginPath);
      expect(page.status).toBe(503);
      expect(page.headers.get('retry-after')).toBe('5');
      expect(page.text).toContain('Harbor ID doesn’t answer');
      expect(page.text).toContain(`href="${beginPath}">Try again</a>`);
      expect(page.text).toContain('href="/desk/sign-in"');
      expect((await get('/desk/sign-in')).status).toBe(200);
      expect((await get('/readyz')).status).toBe(200);
    });
  },
  { ...provider.environment, OIDC_ISSUER: away.issuer },
  { onDatabase: true },
);
