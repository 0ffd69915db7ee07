import { expect, it } from 'vitest';
import { asked, describeDesk } from './desk.ts';

const day = 86_400_000;

describeDesk(
  'the proposed end of a grant',
  (given) => {
    it('is the shortest that the form offers, and that of the service for a decision without an end', async () => {
      const { contact, requestId } = await asked(given());
      const path = `/desk/requests/${requestId}`;
      const page = await contact.get(path);
      expect(page.text.match(/name="until" value="\w+"( checked)?/g)).toEqual([
        'name="until" value="30" checked',
        'name="until" value="90"',
        'name="until" value="180"',
        'name="until" value="365"',
        'name="until" value="date"',
      ]);
      const form = page.forms.find(({ fields }) => fields.decision?.[0] === 'approve');
      const approve = (fields: Record<string, string>) =>
        contact.submit(form ?? { action: '/', fields: {} }, { scopes: 'metrics:read', ...fields });
      const endsOn = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);
      const before = endsOn(180);
      const { text } = await approve({ until: '180' });
      const [, end] = /name="expires_at" value="(\S+)T23:59:59\.999Z"/.exec(text) ?? [];
      // The day may end meanwhile.
      expect([before, endsOn(180)]).toContain(end);

      const open = await approve({ until: 'keep' });
      expect(open.status).toBe(200);
      const [confirm] = open.forms.filter(({ action }) => action.endsWith('/decide'));
      await contact.submit(confirm ?? { action: '/', fields: {} });
      const { accessRequest } = await given().operator.showAccessRequest({ id: requestId });
      expect(accessRequest.status).toBe('approved');
      const { decidedAt, expiresAt } = accessRequest;
      expect(Number(expiresAt) - Number(decidedAt)).toBe(180 * day);
    });
  },
  { GRANT_TTL_DAYS: '180' },
);
