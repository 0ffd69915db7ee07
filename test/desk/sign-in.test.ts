import { expect, it } from 'vitest';
import {
  browse,
  choose,
  companyWithRequest,
  describeDesk,
  deskCookie,
  signIn,
  visit,
} from './desk.ts';

describeDesk('signing in', (given) => {
  const open = (path: string, headers?: Record<string, string>) =>
    browse(given()).get(path, headers);

  const confirm = (token: string, headers?: Record<string, string>) =>
    browse(given()).post('/desk/sign-in/confirm', { token }, headers);

  async function link() {
    const service = given();
    const company = await service.fixtures.company();
    const email = `${company.id}@example.com`;
    await service.operator.addContact({ companyId: company.id, email });
    const { token } = await service.operator.createSignInLink({ companyId: company.id, email });
    return { service, company, email, token };
  }

  const sessionOf = (headers: Headers) =>
    headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith(`${deskCookie}=`))
      ?.slice(deskCookie.length + 1)
      .split(';')[0] ?? '';

  it('redirects a visitor without a session to the sign-in page, and back after sign-in', async () => {
    const { token } = await link();
    const refused = await open('/desk/requests');
    expect(refused).toMatchObject({ status: 303, location: '/desk/sign-in?because=ended' });
    const [remembered = ''] = refused.headers.getSetCookie();
    const cookie = remembered.split(';')[0] ?? '';
    const signedIn = await confirm(token, { cookie });
    expect(signedIn).toMatchObject({ status: 303, location: '/desk/requests' });
  });

  it('returns 404 for an unknown page, even to a visitor without a session', async () => {
    const unknown = await open('/desk/no-such-page');
    expect(unknown.status).toBe(404);
    expect(unknown.headers.getSetCookie()).toEqual([]);
  });

  it('keeps the sign-in link if the visitor chooses another language', async () => {
    const { service, token } = await link();
    const { text } = await open(`/desk/sign-in/confirm?token=${token}`);
    const back = /name="back" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const chosen = await browse(service).post('/desk/language', { language: 'de', back });
    expect(chosen).toMatchObject({ status: 303, location: `/desk/sign-in/confirm?token=${token}` });
  });

  it('needs a click on a button, so a mail scanner that opens the link doesn’t sign in', async () => {
    const { service, token, email } = await link();
    const path = `/desk/sign-in/confirm?token=${token}`;
    for (const method of ['GET', 'HEAD', 'GET']) {
      const looked = await fetch(service.url + path, { method });
      expect(looked.status).toBe(200);
      expect(looked.headers.getSetCookie()).toEqual([]);
    }
    const signedIn = await browse(service).fill(path, '/confirm');
    expect(signedIn).toMatchObject({ status: 303, location: '/desk/' });
    const page = await visit(service, email, sessionOf(signedIn.headers)).get('/desk/');
    expect(page.text).toContain(email);
  });

  it('sets a cookie that is hidden from scripts, other sites and caches', async () => {
    const { token } = await link();
    const { headers } = await confirm(token);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^portfolio_desk=svc_ds_\w{32}; Path=\/desk; .*HttpOnly/);
    expect(cookie).toContain('SameSite=Lax');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('accepts a link once, and answers a second click with the status 410', async () => {
    const { token } = await link();
    await confirm(token);
    const again = await confirm(token);
    expect(again.status).toBe(410);
    expect(sessionOf(again.headers)).toBe('');
  });

  it('never keeps an existing session, so a session cookie from an attacker is useless', async () => {
    const { service, token, email } = await link();
    const planted = `svc_ds_${'A'.repeat(32)}`;
    const cookie = `${deskCookie}=${planted}`;
    const { headers } = await confirm(token, { cookie });
    expect(sessionOf(headers)).not.toBe(planted);
    const page = await visit(service, email, planted).get('/desk/');
    expect(page.location).toBe('/desk/sign-in?because=ended');
  });

  it('gives the same response for a known and an unknown address', async () => {
    const { service, email } = await link();
    const { post } = browse(service);
    const known = await post('/desk/sign-in', { email });
    const unknown = await post('/desk/sign-in', { email: 'nobody@example.com' });
    expect(known.status).toBe(200);
    expect(unknown.status).toBe(200);
    expect(unknown.text.replaceAll('nobody@example.com', email)).toBe(known.text);
  });

  it('links the error for an invalid address to its field', async () => {
    const wrong = { email: 'no address' };
    const { status, text } = await browse(given()).post('/desk/sign-in', wrong);
    expect(status).toBe(400);
    expect(text).toMatch(
      /<input id="email"[^>]* aria-describedby="email-error email-hint" aria-invalid="true"/,
    );
    expect(text).toContain('id="email-error"');
  });

  it('ends at sign-out on the server, not only in the browser', async () => {
    const { contact } = await companyWithRequest(given());
    const out = await contact.fill('/desk/', '/sign-out');
    expect(out).toMatchObject({ status: 303, location: '/desk/sign-in?because=out' });
    expect((await contact.get('/desk/')).status).toBe(303);
  });

  it('lets a contact of several companies choose a company, and shows one company at a time', async () => {
    const service = given();
    const one = await companyWithRequest(service);
    const other = await companyWithRequest(service);
    const email = one.contact.email;
    await service.operator.addContact({ companyId: other.company.id, email });
    const both = await signIn(service, one.company.id, email);
    expect((await both.get('/desk/')).text).toContain(one.company.name);
    await choose(both, other.company.id);
    const chosen = await both.get('/desk/');
    expect(chosen.text).toContain(other.company.name);
    expect(chosen.text).not.toContain(one.company.name);
    expect((await both.get(`/desk/requests/${one.requestId}`)).status).toBe(404);
  });

  it('lets a contact who was removed from the chosen company choose another one', async () => {
    const service = given();
    const [lost, kept] = [await companyWithRequest(service), await companyWithRequest(service)];
    const { email } = await signIn(service, lost.company.id);
    await service.operator.addContact({ companyId: kept.company.id, email });
    const visitor = await signIn(service, lost.company.id, email);
    const contacts = await service.operator.listContacts({ companyId: lost.company.id });
    const own = contacts.find((contact) => contact.email === email);
    await service.operator.removeContact({ id: own?.id ?? '', lastAdmin: true });
    const path = `/desk/requests/${kept.requestId}`;
    const led = await visitor.get(path);
    expect(led).toMatchObject({ status: 303, location: '/desk/companies' });
    expect(led.headers.getSetCookie().join()).toContain(`portfolio_desk_return=${path};`);
    await choose(visitor, kept.company.id);
    expect((await visitor.get(path)).status).toBe(200);
  });

  it('returns to the page that the visitor opened, but never to the address of a background request', async () => {
    const returnOf = async (purpose: Record<string, string>) => {
      const { status, headers } = await open('/desk/settings', purpose);
      expect(status).toBe(303);
      return headers.getSetCookie().join();
    };
    const kept = 'portfolio_desk_return=/desk/settings;';
    expect(await returnOf({})).toContain(kept);
    expect(await returnOf({ 'sec-fetch-dest': 'document' })).toContain(kept);
    expect(await returnOf({ 'sec-fetch-dest': 'empty' })).toBe('');
  });

  it.each([
    '/desk/requests/ar_1/receipts',
    '/desk/settings/mails',
    '/desk/portfolio/co_1/metrics/net_cash.eur',
  ])('returns to %s', async (path) => {
    const { headers } = await open(path);
    expect(headers.getSetCookie().join()).toContain(`portfolio_desk_return=${path};`);
  });

  it.each([
    '/desk/portfolio.csv',
    '/desk/events',
    '/desk/requests/..%2F..%2Fv1',
    '/desk/unknown',
    '//evil.example/desk/',
    'https://evil.example/desk/',
  ])('opens the first page of the desk instead of %s', async (path) => {
    const { token } = await link();
    const signedIn = await confirm(token, { cookie: `portfolio_desk_return=${path}` });
    expect(signedIn).toMatchObject({ status: 303, location: '/desk/' });
  });
});
