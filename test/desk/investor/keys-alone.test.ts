import { expect, it } from 'vitest';
import { startReceiver } from '../../gateway/webhooks/receiver.ts';
import { importLines, sampleData } from '../../support/fixtures.ts';
import { decode, describeDesk, type Seen, signInInvestor, type Visitor } from '../desk.ts';
import { allowPrivate } from '../settings.ts';

const secretIn = ({ text }: Seen): string =>
  decode(/<textarea id="secret"[^>]*>([^<]*)<\/textarea>/.exec(text)?.[1] ?? '');

/** Sends a form of a page, then the one that confirms it. */
async function confirm(visitor: Visitor, page: Seen, action: string, fields = {}): Promise<Seen> {
  const form = page.forms.find((each) => each.action === action);
  if (form === undefined) throw new Error(`no form leads to ${action}`);
  const review = await visitor.submit(form, fields);
  const [last] = review.forms;
  if (last === undefined) throw new Error('there is nothing to confirm');
  return visitor.submit(last);
}

const idIn = ({ text }: Seen, pattern: RegExp): string => {
  const id = pattern.exec(text)?.[1];
  if (id === undefined) throw new Error('there is no such id on the page');
  return id;
};

describeDesk(
  'what an investor does without an operator',
  (given) => {
    it('makes a key, reads with it, finds that read by its request id, rotates, and replays a webhook', async () => {
      const service = given();
      const { operator, fixtures, background, url } = service;
      const { investor, company, key: first } = await fixtures.portfolio();
      await importLines(operator, sampleData(company.id));
      await fixtures.grant({ company, key: first });
      const visitor = await signInInvestor(service, investor.id);

      const made = await confirm(
        visitor,
        await visitor.get('/desk/settings/keys'),
        '/desk/settings/keys/review',
        { name: 'Dashboard', scopes: ['companies:read', 'metrics:read'] },
      );
      const secret = secretIn(made);
      expect(secret).toMatch(/^svc_sk_live_[0-9A-Za-z]{32}$/);
      const read = (key: string) =>
        fetch(`${url}/v1/companies/${company.id}/metrics`, {
          headers: { authorization: `Bearer ${key}` },
        });
      const answer = await read(secret);
      expect(answer.status).toBe(200);

      const requestId = answer.headers.get('svc-request-id') ?? '';
      const found = await visitor.get(`/desk/activity?request=${requestId}`);
      expect(found.status).toBe(200);
      expect(found.text.match(/<tr role="row"><th scope="row"/g)).toHaveLength(1);
      expect(found.text).toContain(`${requestId}</code>`);
      expect(found.text).toContain(`Dashboard (${secret.slice(0, 12)}`);

      const keys = await visitor.get('/desk/settings/keys');
      const [, keyId = ''] = /keys\/(key_\w+)\/rotate/.exec(keys.text) ?? [];
      const rotation = await visitor.get(`/desk/settings/keys/${keyId}/rotate`);
      const rotated = await visitor.submit(rotation.forms[0] as (typeof rotation.forms)[0], {
        overlap: 'none',
      });
      const successor = secretIn(rotated);
      expect(successor).not.toBe(secret);
      expect((await read(secret)).status).toBe(401);
      expect((await read(successor)).status).toBe(200);

      // What has happened before is told to nobody.
      while ((await background.queueWebhooks()) > 0);
      const statuses: number[] = [];
      const receiver = await startReceiver((_call, response) => {
        statuses.push(200);
        response.writeHead(200).end();
      });
      const added = await confirm(
        visitor,
        await visitor.get('/desk/settings/webhooks'),
        '/desk/settings/webhooks/review',
        { url: receiver.url },
      );
      expect(secretIn(added)).toMatch(/^whsec_/);
      const deliver = async () => {
        while ((await background.queueWebhooks()) > 0);
        const never = new AbortController().signal;
        for (const claim of await background.claimWebhookEndpoints(100)) {
          const turn = { stopping: never, cut: never, onOutcome: () => undefined };
          await background.deliverWebhooks(claim, turn);
        }
      };
      const other = await fixtures.companyOf(investor);
      await fixtures.request(first, other.id);
      await deliver();
      expect(statuses).toHaveLength(1);
      const endpointId = idIn(await visitor.get('/desk/settings/webhooks'), /webhooks\/(we_\w+)/);
      const path = `/desk/settings/webhooks/${endpointId}`;
      const endpoint = await visitor.get(path);
      const replay = endpoint.forms.find(({ action }) => action === `${path}/replay`);
      const replayed = await visitor.submit(replay as (typeof endpoint.forms)[0]);
      expect(replayed.location).toBe(`${path}?done=replayed#deliveries`);
      await deliver();
      expect(statuses).toHaveLength(2);
      await receiver.close();
    });
  },
  allowPrivate,
);
