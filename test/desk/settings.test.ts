import { expect, it } from 'vitest';
import { startReceiver } from '../gateway/webhooks/receiver.ts';
import type { TestService } from '../support/service.ts';
import { describeDesk, formTo, type Seen, signIn, type Visitor } from './desk.ts';
import { allowPrivate, furnishWebhook, happen, queue } from './settings.ts';

const settings = '/desk/settings';
const keys = `${settings}/keys`;
const webhooks = `${settings}/webhooks`;
/** No server runs at this address. */
const hook = 'https://127.0.0.1:9/hook';

const secretOf = ({ text }: Seen): string =>
  /<textarea id="secret"[^>]*>([^<]*)<\/textarea>/.exec(text)?.[1] ?? '';

async function open(service: TestService) {
  const company = await service.fixtures.company();
  return { company, contact: await signIn(service, company.id) };
}

describeDesk('the settings page of contacts', (given) => {
  const list = async (service: TestService, companyId: string) =>
    (await service.operator.listContacts({ companyId })).map(({ email }) => email);

  it('adds a contact after a page about the contact’s rights, and the contact can sign in', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const email = 'New.Colleague@example.com';
    const review = await contact.fill(settings, '/review', { email });
    expect(review.text).toContain('new.colleague@example.com can then sign in');
    expect(await list(service, company.id)).toEqual([contact.email]);
    const added = await contact.submit(formTo(review, '/contacts'));
    expect(added).toMatchObject({ status: 303, location: `${settings}?done=added` });
    expect(await list(service, company.id)).toEqual([contact.email, email.toLowerCase()]);
    const colleague = await signIn(service, company.id, email.toLowerCase());
    expect((await colleague.get(settings)).status).toBe(200);
  });

  it.each(['no address', ''])('shows an error at the field for the address %j', async (email) => {
    const { contact } = await open(given());
    const refused = await contact.fill(settings, '/review', { email });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/id="email-error">Enter a valid email address/);
    expect(refused.text).toMatch(/aria-describedby="email-error email-hint" aria-invalid="true"/);
  });

  it('can’t remove or demote the last admin, and explains why', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const page = await contact.get(settings);
    expect(page.text).toContain('Your organisation needs an admin');
    expect(page.text).not.toContain('/remove"');
    const [own] = await service.operator.listContacts({ companyId: company.id });
    for (const [what, fields] of [
      ['remove', {}],
      ['role', { role: 'viewer' }],
    ] as const) {
      const path = `${settings}/contacts/${own?.id}/${what}`;
      expect(await contact.fill(path, `/${what}`, fields)).toMatchObject({
        status: 409,
        text: expect.stringContaining('This is the last admin'),
      });
    }
    expect(await service.operator.listContacts({ companyId: company.id })).toEqual([own]);
  });

  it('signs contacts out if they remove themselves after a warning', async () => {
    const service = given();
    const { company, contact } = await open(service);
    await signIn(service, company.id);
    const review = await contact.get(await removalOf(contact, contact.email));
    expect(review.text).toContain('This is you. You are signed out');
    const removed = await contact.submit(formTo(review, '/remove'));
    expect(removed.location).toBe('/desk/sign-in?because=out');
    expect((await contact.get(settings)).location).toBe('/desk/sign-in?because=ended');
  });
});

async function removalOf(visitor: Visitor, email: string): Promise<string> {
  const { text } = await visitor.get(settings);
  const line = text.split('<tr').find((each) => each.includes(`<bdi>${email}</bdi>`)) ?? '';
  return /href="([^"]*\/remove)"/.exec(line)?.[1] ?? '';
}

describeDesk('the settings page of keys', (given) => {
  const works = async ({ call }: TestService, key: string) =>
    (await call('GET', '/company/v1/access-requests', { key })).status === 200;

  async function review(contact: Visitor, fields = {}): Promise<Seen> {
    const form = formTo(await contact.get(keys), '/review');
    return contact.submit(form, { scopes: ['consents:manage', 'data:read'], ...fields });
  }

  const keysOf = ({ operator }: TestService, companyId: string) =>
    operator.listCompanyKeys({ companyId });

  it('shows the secret of a new key once, and a reload or a second click creates no second key', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const form = formTo(await review(contact), '/keys');
    const made = await contact.submit(form);
    const secret = secretOf(made);
    expect(made.status).toBe(200);
    expect(secret).toMatch(/^svc_ck_live_\w{32}$/);
    expect(made.text).toContain('data-copy="secret" hidden>Copy</button>');
    expect(await works(service, secret)).toBe(true);
    const again = await contact.submit(form);
    expect(again).toMatchObject({ status: 409, text: expect.stringContaining('Already done') });
    expect(again.text).not.toContain('svc_ck_');
    expect(await keysOf(service, company.id)).toHaveLength(1);
    expect((await contact.get(keys)).text).not.toContain(secret);
  });

  it('returns to the list of keys if the language changes on the confirmation page', async () => {
    const { contact } = await open(given());
    const page = await review(contact);
    const changed = await contact.submit(formTo(page, '/language'), { language: 'de' });
    expect(changed.location).toBe(keys);
  });

  it('creates no key if the form lacks its hidden ID', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const form = formTo(await review(contact), '/keys');
    expect((await contact.submit(form, { form: '' })).status).toBe(400);
    expect(await keysOf(service, company.id)).toEqual([]);
  });

  it('shows a key’s chosen permissions before and after its creation', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const page = await review(contact, { scopes: ['data:write'] });
    expect(page.text).toContain('these permissions: send new data.');
    const secret = secretOf(await contact.submit(formTo(page, '/keys')));
    expect(await keysOf(service, company.id)).toMatchObject([
      { scopes: ['data:write'], source: null },
    ]);
    expect((await contact.get(keys)).text).toMatch(
      /data-label="Permissions"><span class="sentence long">send new data</,
    );
    expect(await works(service, secret)).toBe(false);
    const none = await review(contact, { scopes: [] });
    expect(none).toMatchObject({
      status: 422,
      text: expect.stringContaining('Choose at least one.'),
    });
    await service.operator.createCompanyKey({ companyId: company.id, source: 'Quick & Books' });
    expect((await contact.get(keys)).text).toContain('Quick &amp; Books');
  });

  it('shows a key’s name before its creation, and then in the list with its last use', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const page = await review(contact, { name: ' Accounting & <Co> ' });
    expect(page.text).toContain('Accounting &amp; &lt;Co&gt;');
    const secret = secretOf(await contact.submit(formTo(page, '/keys')));
    expect(await keysOf(service, company.id)).toMatchObject([{ name: 'Accounting & <Co>' }]);
    expect((await contact.get(keys)).text).toMatch(
      /Accounting &amp; &lt;Co&gt;.*Last used.*Not yet/s,
    );
    expect(await works(service, secret)).toBe(true);
    await service.background.storeKeyUses();
    expect((await contact.get(keys)).text).not.toContain('Not yet');
  });

  it('shows an error next to a name with characters that change the text direction', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const refused = await review(contact, { name: 'a\u202eb' });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/id="name-error">A name has at most/);
    expect(refused.text).toMatch(/aria-describedby="name-error name-hint" aria-invalid="true"/);
    const made = formTo(await review(contact), '/keys');
    expect((await contact.submit(made, { name: 'a\u202eb' })).status).toBe(422);
    expect(await keysOf(service, company.id)).toEqual([]);
  });

  it('shows when a new key will expire, and rejects an end in the past', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const page = await review(contact, { until: 'date', date: '2099-12-31' });
    expect(page.text).toContain('Dec 31, 2099');
    await contact.submit(formTo(page, '/keys'));
    const [key] = await keysOf(service, company.id);
    expect(key?.expiresAt?.toISOString()).toBe('2099-12-31T23:59:59.999Z');
    for (const date of ['2020-01-01', '', 'tomorrow']) {
      const refused = await review(contact, { until: 'date', date });
      expect(refused.status, date).toBe(422);
      expect(refused.text).toContain('id="end-error"');
    }
    const forged = { expires_at: '2020-01-01T00:00:00.000Z' };
    const past = await contact.submit(formTo(page, '/keys'), forged);
    expect(past.status).toBe(422);
    expect(await keysOf(service, company.id)).toHaveLength(1);
  });

  it('replaces a key, and the old key still works for the chosen time', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const { key, secret: old } = await service.operator.createCompanyKey({ companyId: company.id });
    const page = await contact.get(`${keys}/${key.id}/rotate`);
    const replaced = await contact.submit(formTo(page, '/rotate'));
    expect(await works(service, secretOf(replaced))).toBe(true);
    expect(await works(service, old)).toBe(true);
    const late = await contact.get(`${keys}/${key.id}/rotate`);
    expect(await contact.submit(formTo(late, '/rotate'))).toMatchObject({
      status: 409,
      text: expect.stringContaining('was already replaced'),
    });
    const other = await service.operator.createCompanyKey({ companyId: company.id });
    const now = await contact.get(`${keys}/${other.key.id}/rotate`);
    await contact.submit(formTo(now, '/rotate'), { overlap: 'none' });
    expect(await works(service, other.secret)).toBe(false);
  });

  it('revokes a key after a page about the effect, and the next call with the key is refused', async () => {
    const service = given();
    const { company, contact } = await open(service);
    const { key, secret } = await service.operator.createCompanyKey({ companyId: company.id });
    const page = await contact.get(`${keys}/${key.id}/revoke`);
    expect(page.text).toContain('every call with this key is refused');
    expect(await works(service, secret)).toBe(true);
    expect((await contact.submit(formTo(page, '/revoke'))).location).toBe(`${keys}?done=revoked`);
    expect(await works(service, secret)).toBe(false);
    expect((await contact.submit(formTo(page, '/revoke'))).status).toBe(409);
  });
});

describeDesk(
  'the settings page of webhooks',
  (given) => {
    async function create(contact: Visitor, url: string, types: readonly string[] = []) {
      const page = await contact.fill(webhooks, '/review', {
        url,
        types,
        which: types.length === 0 ? 'all' : 'some',
      });
      const form = formTo(page, '/webhooks');
      return { page, form, made: await contact.submit(form) };
    }

    const pathOf = ({ text }: Seen): string =>
      new RegExp(`href="(${webhooks}/we_\\w+)"`).exec(text)?.[1] ?? '';

    it('adds a webhook with a secret that is shown once, even after a reload', async () => {
      const { contact } = await open(given());
      const { page, form, made } = await create(contact, hook, ['access_request.created']);
      expect(page.text).toContain(hook);
      expect(page.text).toContain('Events: Asked for access');
      const secret = secretOf(made);
      expect(secret).toMatch(/^whsec_/);
      expect(await contact.submit(form)).toMatchObject({ status: 409 });
      const list = await contact.get(webhooks);
      expect(list.text.split('/we_')).toHaveLength(2);
      const endpoint = await contact.get(pathOf(made));
      for (const { text } of [list, endpoint]) expect(text).not.toContain(secret);
    });

    it('subscribes to all events by default, and rejects an empty choice of events', async () => {
      const { contact } = await open(given());
      const form = formTo(await contact.get(webhooks), '/review');
      const all = await contact.submit(form, { url: hook, types: 'access_request.created' });
      expect(all.text).toContain('Events: All events');
      const none = await contact.submit(form, { url: hook, which: 'some' });
      expect(none.status).toBe(422);
      expect(none.text).toContain('Choose at least one event, or all of them.');
      expect(none.text).toContain(`value="${hook}"`);
      const chosen = { url: hook, which: 'some', types: 'access_request.created' };
      const last = formTo(await contact.submit(form, chosen), '/webhooks');
      expect((await contact.submit(last, { types: [] })).status).toBe(422);
    });

    it('replaces a webhook’s secret once, even if the form is sent twice', async () => {
      const { contact } = await open(given());
      const { made } = await create(contact, hook);
      const path = pathOf(made);
      const form = formTo(await contact.get(`${path}/rotate`), '/rotate');
      const rotated = await contact.submit(form);
      expect(secretOf(rotated)).toMatch(/^whsec_/);
      expect(secretOf(rotated)).not.toBe(secretOf(made));
      expect(await contact.submit(form)).toMatchObject({ status: 409 });
      expect((await contact.get(path)).text).toContain('The old secret also signs until');
    });

    it('removes a webhook after a page about the effect', async () => {
      const { contact } = await open(given());
      const path = pathOf((await create(contact, hook)).made);
      const page = await contact.get(`${path}/remove`);
      expect(page.text).toContain('nothing more is sent there');
      const removed = await contact.submit(formTo(page, '/remove'));
      expect(removed.location).toBe(`${webhooks}?done=removed`);
      expect((await contact.get(path)).status).toBe(404);
    });

    it('shows the result of a test delivery', async () => {
      const service = given();
      const { company, contact } = await open(service);
      const receiver = await startReceiver();
      const { endpoint } = await service.operator.addWebhook({
        companyId: company.id,
        url: receiver.url,
      });
      const page = await contact.get(`${webhooks}/${endpoint.id}`);
      const test = () => contact.submit(formTo(page, '/test'));
      expect((await test()).text).toContain('The test arrived: answered 204.');
      await receiver.close();
      expect((await test()).text).toContain('Reason: no connection.');
    });

    it('shows that a waiting delivery is due', async () => {
      const service = given();
      const { company, contact } = await open(service);
      const owner = { companyId: company.id };
      const { endpoint } = await service.operator.addWebhook({ ...owner, url: hook });
      await happen(service, owner);
      await queue(service);
      const { text } = await contact.get(`${webhooks}/${endpoint.id}`);
      expect(text).toContain('next attempt is due');
      expect(text).not.toMatch(/next attempt <time/);
    });

    it('shows failed deliveries, and enables a webhook that the status 410 has disabled', async () => {
      const service = given();
      const { company, contact } = await open(service);
      const [path = ''] = await furnishWebhook(service, { companyId: company.id });
      const page = await contact.get(path);
      expect(page.text).toContain('the address no longer exists (410)');
      expect(page.text).toContain('answered 410');
      expect(page.text).toContain('1 attempt<');
      expect((await contact.get(`${path}?state=delivered`)).text).toContain('No deliveries match');
      const review = await contact.get(`${path}/enable`);
      const enabled = await contact.submit(formTo(review, '/enable'));
      expect(enabled.location).toBe(`${path}?done=enabled`);
      expect((await contact.get(path)).text).not.toContain('any more (410)');
    });
  },
  allowPrivate,
  { onDatabase: true },
);

describeDesk('the address of a new webhook', (given) => {
  it.each(['', 'no url', 'https://private.example/', 'ftp://x/'])(
    'is rejected with an error next to its field: %j',
    async (url) => {
      const { contact } = await open(given());
      const page = await contact.fill(webhooks, '/review', { url });
      const refused = page.status === 422 ? page : await contact.submit(formTo(page, '/webhooks'));
      expect(refused.status).toBe(422);
      expect(refused.text).toMatch(/aria-describedby="url-error url-hint" aria-invalid="true"/);
      expect((await contact.get(webhooks)).text).toContain('No webhooks yet');
    },
  );
});
