import { expect, it } from 'vitest';
import { choose, companyWithRequest, describeDesk, formTo } from './desk.ts';

describeDesk('a page under attack', (given) => {
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

  it('allows no frames, no content from other origins and no caches', async () => {
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

  it('shows only the desk’s own messages, whatever the address contains', async () => {
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

  it('changes nothing if a form of one company is sent after the choice of another company', async () => {
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
