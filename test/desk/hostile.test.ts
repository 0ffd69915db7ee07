import { expect, it } from 'vitest';
import { asked, decode, describeDesk, signIn } from './desk.ts';

describeDesk('against those who mean harm', (given) => {
  it('takes no change from another site, without the token of the session, or with that of another', async () => {
    const service = given();
    const { contact, requestId, companyKey } = await asked(service);
    const other = await asked(service);
    const page = await contact.get(`/desk/requests/${requestId}`);
    const form = page.forms.find(({ fields }) => fields.decision?.[0] === 'approve');
    const fields = { ...form?.fields, expires_at: '2099-01-01T00:00:00.000Z' };
    const path = `/desk/requests/${requestId}/decide`;
    const foreignPage = await other.contact.get('/desk/requests');
    const foreign = foreignPage.forms.find((each) => each.fields.csrf)?.fields.csrf ?? [];
    const refused = await Promise.all([
      contact.post(path, fields, { origin: 'https://evil.example' }),
      contact.post(path, fields, { origin: 'null' }),
      contact.post(path, fields, { 'sec-fetch-site': 'cross-site' }),
      contact.post(path, { ...fields, csrf: '' }),
      contact.post(path, { ...fields, csrf: foreign }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    const { body } = await service.call('GET', `/company/v1/access-requests/${requestId}`, {
      key: companyKey,
    });
    expect(body.status).toBe('pending');
  });

  it('shows what an investor wrote as text, whatever it is', async () => {
    const service = given();
    const made = await service.fixtures.portfolio();
    const purpose = `<script>alert(1)</script>"><img src=x onerror=alert(1)> ${'\u200f'}evil ${'👩‍👩‍👧'.repeat(50)} ${'w'.repeat(300)} \${7*7} {{7*7}} & &amp;`;
    const asking = await service.post('/v1/access-requests', made.key, {
      company_id: made.company.id,
      scopes: ['metrics:read'],
      purpose,
    });
    expect(asking.status).toBe(201);
    const contact = await signIn(service, made.company.id);
    for (const path of ['/desk/', `/desk/requests/${asking.body.id}`]) {
      const { text } = await contact.get(path);
      expect(text).not.toContain('<script>alert');
      expect(text).not.toContain('<img');
      expect(
        text.split('<blockquote dir="auto">').some((part) => decode(part).startsWith(purpose)),
      ).toBe(true);
    }
  });

  it('leads nowhere but to its own pages', async () => {
    const { contact } = await asked(given());
    const backs = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/desk/../..//evil.example',
      '/desk//evil.example',
      'javascript:alert(1)',
      '/desk/\r\nlocation: https://evil.example',
    ];
    for (const back of backs) {
      const { location } = await contact.post('/desk/language', { language: 'de', back });
      expect(location, back).toBe('/desk/');
    }
  });

  it('can be put into no frame, loads nothing from elsewhere, and is kept by no cache', async () => {
    const { contact } = await asked(given());
    const { headers } = await contact.get('/desk/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-encoding')).toBeNull();
    const icon = await fetch(`${given().url}/desk/assets/icon.svg`);
    expect(icon.headers.get('content-security-policy')).toBe(policy);
    const script = await fetch(`${given().url}/desk/assets/times.js`);
    expect(script.headers.get('content-security-policy')).toBeNull();
    expect(script.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('says nothing but its own words, whatever an address names', async () => {
    const service = given();
    const { contact } = await asked(service);
    for (const name of ['constructor', 'toString', '__proto__']) {
      for (const path of ['/desk/sign-in?because=', '/desk/settings?done=']) {
        expect((await contact.get(path + name)).text, path + name).not.toContain(
          'class="notice good"',
        );
      }
    }
  });

  it('asks for another end when one lies beyond what a date can say', async () => {
    const { contact, requestId } = await asked(given());
    const page = await contact.get(`/desk/requests/${requestId}`);
    const form = page.forms.find(({ fields }) => fields.decision?.[0] === 'approve');
    const expires_at = '+012000-01-01T00:00:00.000Z';
    const scopes = ['metrics:read'];
    const review = await contact.submit(form ?? { action: '', fields: {} }, { scopes, expires_at });
    expect(review.status).toBe(422);
    expect(review.text).toContain('id="approve-until-error"');
  });

  it('changes nothing for a company whose page was open before another one was chosen', async () => {
    const service = given();
    const [first, second] = [await asked(service), await asked(service)];
    const { contact } = first;
    const { email } = contact;
    await service.operator.addContact({ companyId: second.company.id, email });
    const choose = async (company: string) => {
      const form = (await contact.get('/desk/companies')).forms.find(
        ({ fields }) => fields.organisation?.[0] === company,
      );
      return contact.submit(form ?? { action: '', fields: {} });
    };
    await choose(first.company.id);
    const open = await contact.get('/desk/settings');
    const review = await contact.submit(
      open.forms.find(({ action }) => action.endsWith('/review')) ?? { action: '', fields: {} },
      { email: 'new@example.com' },
    );
    const confirm = review.forms.find(({ action }) => action.endsWith('/contacts'));
    expect(confirm).toBeDefined();
    await choose(second.company.id);
    const tried = await contact.submit(confirm ?? { action: '', fields: {} });
    expect(tried.status).toBe(409);
    expect(tried.text).toContain(second.company.name);
    for (const { company } of [first, second]) {
      const contacts = await service.operator.listContacts({ companyId: company.id });
      expect(contacts.map((each) => each.email)).not.toContain('new@example.com');
    }
  });

  it('shows nothing of another company, and decides nothing for it', async () => {
    const service = given();
    const mine = await asked(service);
    const other = await asked(service);
    const { status, text } = await mine.contact.get(`/desk/requests/${other.requestId}`);
    expect(status).toBe(404);
    expect(text).not.toContain(other.investor.name);
    const page = await mine.contact.get(`/desk/requests/${mine.requestId}`);
    const form = page.forms.find(({ fields }) => fields.decision?.[0] === 'decline');
    const action = `/desk/requests/${other.requestId}/decide`;
    const tried = await mine.contact.submit({ action, fields: form?.fields ?? {} });
    expect(tried.status).toBe(404);
  });
});
