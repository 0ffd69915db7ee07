import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectRefusal, withoutRequestId } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';
import { base, decide, decideOnPresent, type PendingRequest, soon, typesOf } from './company.ts';

/** Each feed with its path and the key that reads it. */
const feeds = [
  ['company', `${base}/events`, (made: PendingRequest) => made.companyKey],
  ['investor', '/v1/events', (made: PendingRequest) => made.key],
] as const;

const everything = [
  'created',
  'approved',
  'extended',
  'amended',
  'amendment_declined',
  'amended',
  'approved',
  'withdrawn',
];

/** An access request with every event that a company and an investor can cause. */
async function eventful(service: TestService): Promise<PendingRequest> {
  const made = await service.fixtures.asking(['metrics:read']);
  const path = `/v1/access-requests/${made.requestId}`;
  const amend = (scope: string) =>
    service.call('PATCH', path, { key: made.key, body: { scopes: [scope] } });
  await decide(service, made, 'approve', { expires_at: soon(100) });
  await decide(service, made, 'extend', { expires_at: soon(200) });
  await amend('sources:read');
  await decideOnPresent(service, made, 'decline', { reason: 'Too much.' });
  await amend('accounts:read');
  await decideOnPresent(service, made, 'approve');
  await service.call('DELETE', path, { key: made.key });
  return made;
}

conformance('the feeds of events', (service) => {
  describe.each(feeds)('of the %s', (_side, path, keyOf) => {
    it('contain all events of its own access requests, oldest first, and no others', async () => {
      await eventful(service);
      const made = await eventful(service);
      const { body } = await service.get(path, keyOf(made));
      expect(typesOf(body.data)).toEqual(everything);
      expect(body).toMatchObject({ has_more: false, next_cursor: null, url: path });
      for (const event of body.data) {
        expect(Object.keys(event)).toEqual(['id', 'object', 'type', 'created_at', 'data']);
        expect(event.data.access_request.id).toBe(made.requestId);
      }
      const shown = body.data.map(({ data }: Json) => data.access_request);
      expect(shown.map(({ status }: Json) => status)).toEqual([
        'pending',
        ...Array(6).fill('approved'),
        'expired',
      ]);
      expect(shown[3].pending_scopes).toEqual(['sources:read']);
      expect(shown[4].reason).toBe('Too much.');
      expect(shown[6].approved_scopes).toEqual(['metrics:read', 'accounts:read']);
      expect(shown.map((request: Json) => 'investor' in request)).toEqual(
        Array(8).fill(path.startsWith(base)),
      );
    });

    it('continue after the event whose ID is in the parameter “after”', async () => {
      const made = await eventful(service);
      const seen: Json[] = [];
      let hasMore = true;
      while (hasMore) {
        const after = seen.length === 0 ? '' : `&after=${seen.at(-1)?.id}`;
        const { body } = await service.get(`${path}?limit=3${after}`, keyOf(made));
        seen.push(...body.data);
        hasMore = body.has_more;
        expect(body.next_cursor).toBe(hasMore ? seen.at(-1)?.id : null);
      }
      expect(typesOf(seen)).toEqual(everything);
      const { body } = await service.get(`${path}?after=${seen.at(-1)?.id}`, keyOf(made));
      expect(body.data).toEqual([]);
    });

    it('refuse an unknown event and an event from another feed with the same response, byte for byte', async () => {
      const made = await service.fixtures.asking();
      const other = await service.fixtures.asking();
      const [foreign] = (await service.get(path, keyOf(other))).body.data;
      const answers = [];
      for (const id of [foreign.id, 'evt_00000000000000000000000000000000', 'x', '', 'evt_%00']) {
        const answer = await service.get(`${path}?after=${id}`, keyOf(made));
        expectRefusal(answer, 'event_expired');
        answers.push(withoutRequestId(answer));
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    });
  });
});
