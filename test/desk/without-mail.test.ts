import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { see, signIn, toBody } from './desk.ts';

describe('desk: of a service that sends no mails', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      storage: { memory: true },
      isReachedDirectly: true,
      mails: { links: false, notices: false },
    });
  });
  afterAll(() => service.close());

  const open = async (path: string, init: RequestInit = {}) =>
    see(await fetch(service.url + path, { redirect: 'manual', ...init }));

  it('asks for no address that it could not mail a link to, and names the way', async () => {
    const page = await open('/desk/sign-in');
    expect(page.status).toBe(200);
    expect(page.text).toContain('This service sends no mails');
    expect(page.text).toContain('desk link');
    expect(page.forms.map(({ action }) => action)).toEqual(['/desk/language']);
    const sent = await open('/desk/sign-in', {
      method: 'POST',
      headers: { origin: service.url },
      body: toBody({ email: 'dana@example.com' }),
    });
    expect(sent.text).not.toContain('on its way');
    expect(sent.text).toContain('This service sends no mails');
    const german = await open('/desk/sign-in', { headers: { 'accept-language': 'de' } });
    expect(german.text).toContain('versendet keine E-Mails');
  });

  it('tells whoever comes for the first time of no session that has ended', async () => {
    const { location } = await open('/desk/');
    const page = await open(location ?? '');
    expect(page.text).toContain('You are not signed in.');
    expect(page.text).not.toContain('ended');
  });

  it('promises no notices', async () => {
    const company = await service.fixtures.company();
    const contact = await signIn(service, company.id);
    const inbox = await contact.get('/desk/');
    expect(inbox.text).toContain('Nothing waits for you');
    expect(inbox.text).toContain('look in now and then');
    expect(inbox.text).not.toContain('you get a mail');
    expect((await contact.get('/desk/settings')).text).not.toContain('by mail');
  });
});
