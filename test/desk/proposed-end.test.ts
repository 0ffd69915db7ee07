import { expect, it } from 'vitest';
import { companyWithRequest, decide, describeDesk } from './desk.ts';

const day = 86_400_000;

describeDesk(
  'the proposed end of a grant',
  (given) => {
    it('is the shortest option in the form, but a decision without an end gets the service’s default', async () => {
      const { contact, requestId } = await companyWithRequest(given());
      const page = await contact.get(`/desk/requests/${requestId}`);
      expect(page.text.match(/name="until" value="\w+"( checked)?/g)).toEqual([
        'name="until" value="30" checked',
        'name="until" value="90"',
        'name="until" value="180"',
        'name="until" value="365"',
        'name="until" value="date"',
      ]);
      const approve = async (until: string) => decide(contact, requestId, 'approve', { until });
      const endsOn = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);
      const before = endsOn(180);
      const { review } = await approve('180');
      const [, end] = /name="expires_at" value="(\S+)T23:59:59\.999Z"/.exec(review.text) ?? [];
      // Midnight may pass between the two calls.
      expect([before, endsOn(180)]).toContain(end);

      const open = await approve('keep');
      expect(open.review.status).toBe(200);
      await open.confirm();
      const { accessRequest } = await given().operator.showAccessRequest({ id: requestId });
      expect(accessRequest.status).toBe('approved');
      const { decidedAt, expiresAt } = accessRequest;
      expect(Number(expiresAt) - Number(decidedAt)).toBe(180 * day);
    });
  },
  { GRANT_TTL_DAYS: '180' },
);
