import { expect, it } from 'vitest';
import { describeDesk, signIn } from './desk.ts';

const now = new Date('2031-03-30T12:00:00Z');

describeDesk(
  'pages',
  (given) => {
    it('use the service’s clock instead of the machine’s clock', async () => {
      const company = await given().fixtures.company();
      const contact = await signIn(given(), company.id);
      const { text } = await contact.get('/desk/settings/keys');
      expect(text).toContain('min="2031-03-31"');
    });
  },
  {},
  { replace: () => ({ clock: { now: () => now } }) },
);
