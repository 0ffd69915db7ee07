import { expect, it } from 'vitest';
import { expectOk } from '../support/expectations.ts';
import type { ServiceOptions } from '../support/service.ts';
import { asked, describeDesk } from './desk.ts';

const unread = { before: new Date(), reason: new Error('/mnt/archive does not answer') };
const away = async () => ({ records: [], unread });
const replace: ServiceOptions['replace'] = ({ accessRecordArchive }) => ({
  accessRecordArchive: { ...accessRecordArchive, listReceived: away, listOfInvestor: away },
});

describeDesk(
  'a service whose archive is away',
  (given) => {
    it('tells a company so with 503, and what is not archived all the same', async () => {
      const service = given();
      const { companyKey } = await asked(service);
      const path = '/company/v1/access-records';
      const { status, headers, body } = await service.get(path, companyKey);
      expect(status).toBe(503);
      expect(body.error).toMatchObject({
        type: 'api_error',
        code: 'service_unavailable',
        message: 'These access records are in an archive that cannot be read at the moment.',
      });
      expect(headers['retry-after']).toBe('5');
      expectOk(await service.get(`${path}?since=${new Date().toISOString()}`, companyKey));
    });

    it('tells an investor so, unless the list needs nothing of it', async () => {
      const service = given();
      const { key } = await asked(service);
      const ask = async (since: string) =>
        (
          await service.post('/graphql', key, {
            query: `{accessRecords(first:5${since}){nodes{requestId}}}`,
          })
        ).body;
      expect((await ask('')).errors[0]).toMatchObject({
        message: 'These access records are in an archive that cannot be read at the moment.',
        extensions: { code: 'service_unavailable' },
      });
      expect(await ask(`,since:"${new Date().toISOString()}"`)).toEqual({
        data: { accessRecords: { nodes: [] } },
      });
    });

    it('says so at the desk, in the place of the reads alone', async () => {
      const { contact } = await asked(given());
      const inbox = await contact.get('/desk/');
      expect(inbox.status).toBe(200);
      expect(inbox.text).toContain('in an archive that cannot be read at the moment');
      const activity = await contact.get('/desk/activity');
      expect(activity.status).toBe(503);
      expect(activity.text).toContain('in an archive that cannot be read at the moment');
      expect(activity.text).toContain('name="since"');
      expect(activity.text).not.toContain('/mnt/archive');
    });
  },
  {},
  { replace },
);
