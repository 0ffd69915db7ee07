import { expect, it } from 'vitest';
import { browse, describeDesk, signIn } from './desk.ts';

const noMails = { mails: { links: false, notices: false } };

describeDesk(
  'a service that sends no mail',
  (given) => {
    it('shows no field for an address, because it can’t mail a link, and explains another way to sign in', async () => {
      const { get, post } = browse(given());
      const page = await get('/desk/sign-in');
      expect(page.status).toBe(200);
      expect(page.text).toContain('This service sends no emails');
      expect(page.text).toContain('desk link');
      expect(page.forms.map(({ action }) => action)).toEqual(['/desk/language']);
      const sent = await post('/desk/sign-in', { email: 'dana@example.com' });
      expect(sent.text).not.toContain('on its way');
      expect(sent.text).toContain('This service sends no emails');
      const german = await get('/desk/sign-in', { 'accept-language': 'de' });
      expect(german.text).toContain('versendet keine E-Mails');
    });

    it('doesn’t report an ended session to a new visitor', async () => {
      const { get } = browse(given());
      const { location } = await get('/desk/');
      const page = await get(location ?? '');
      expect(page.text).toContain('You aren’t signed in.');
      expect(page.text).not.toContain('ended');
    });

    it('doesn’t promise notices by mail', async () => {
      const company = await given().fixtures.company();
      const contact = await signIn(given(), company.id);
      const inbox = await contact.get('/desk/');
      expect(inbox.text).toContain('No requests to decide');
      expect(inbox.text).toContain('check this page from time to time');
      expect(inbox.text).not.toContain('you get an email');
      expect((await contact.get('/desk/settings')).text).not.toContain('by email');
    });
  },
  {},
  noMails,
);
