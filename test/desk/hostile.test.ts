import { expect, it } from 'vitest';
import {
  choose,
  companyWithRequest,
  decide,
  decode,
  describeDesk,
  formTo,
  signIn,
} from './desk.ts';

describeDesk('a page under attack', (given) => {
  it('shows the purpose of a request as plain text, whatever HTML the investor writes', async () => {
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

  it('redirects only to pages of the desk', async () => {
    const { contact } = await companyWithRequest(given());
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

  it('allows no frames, other origins or caches', async () => {
    const { contact } = await companyWithRequest(given());
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

  it('shows only messages of the desk, whatever the address contains', async () => {
    const service = given();
    const { contact } = await companyWithRequest(service);
    for (const name of ['constructor', 'toString', '__proto__']) {
      for (const path of ['/desk/sign-in?because=', '/desk/settings?done=']) {
        expect((await contact.get(path + name)).text, path + name).not.toContain(
          'class="notice good"',
        );
      }
    }
  });

  it('rejects an end of access after the last supported date', async () => {
    const { contact, requestId } = await companyWithRequest(given());
    const expires_at = '+012000-01-01T00:00:00.000Z';
    const { review } = await decide(contact, requestId, 'approve', { expires_at });
    expect(review.status).toBe(422);
    expect(review.text).toContain('id="approve-until-error"');
  });

  it('changes nothing if a form of one company is sent after another company was chosen', async () => {
    const service = given();
    const [first, second] = [await companyWithRequest(service), await companyWithRequest(service)];
    const { contact } = first;
    const { email } = contact;
    await service.operator.addContact({ companyId: second.company.id, email });
    await choose(contact, first.company.id);
    const review = await contact.fill('/desk/settings', '/review', { email: 'new@example.com' });
    const confirm = formTo(review, '/contacts');
    await choose(contact, second.company.id);
    const tried = await contact.submit(confirm);
    expect(tried.status).toBe(409);
    expect(tried.text).toContain(second.company.name);
    for (const { company } of [first, second]) {
      const contacts = await service.operator.listContacts({ companyId: company.id });
      expect(contacts.map((each) => each.email)).not.toContain('new@example.com');
    }
  });
});
