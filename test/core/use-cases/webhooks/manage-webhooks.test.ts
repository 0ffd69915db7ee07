import { describe, expect, test } from 'vitest';
import type { AccessErrorCode } from '#core';
import { day, expectRefusal } from '../../world.ts';
import { aWorldWithEndpoint, aWorldWithWebhooks, url } from '../queues/webhook-steps.ts';

async function expectOneRefusal(
  attempts: readonly PromiseSettledResult<unknown>[],
  code: AccessErrorCode,
) {
  expect(attempts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const refused = attempts.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  await expectRefusal(Promise.reject(refused.reason), code);
}

describe('a company’s webhook endpoint', () => {
  test('is created with a secret of 32 random bytes, which is left out of the list of endpoints', async () => {
    const { companies, newcomer, company, id, endpoint, secret } = await aWorldWithEndpoint();
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(endpoint).toMatchObject({ url, types: [], owner: { companyId: newcomer.companyId } });
    expect(await companies.listWebhookEndpoints(company)).toEqual({
      items: [endpoint],
      nextCursor: null,
    });
    expect(await companies.readWebhookEndpoint(company, { id })).toEqual(endpoint);
  });

  test('is listed with the other endpoints in pages, newest first, even if several were created at the same time', async () => {
    const { companies, clock, company } = await aWorldWithWebhooks();
    const create = async () => (await companies.createWebhookEndpoint(company, { url })).endpoint;
    const together = [await create(), await create()];
    clock.advance(1);
    const newest = await create();
    const first = await companies.listWebhookEndpoints(company, { limit: 2 });
    const second = await companies.listWebhookEndpoints(company, {
      limit: 2,
      cursor: first.nextCursor,
    });
    expect(first.items[0]).toEqual(newest);
    expect([...first.items.slice(1), ...second.items].map(({ id }) => id).toSorted()).toEqual(
      together.map(({ id }) => id).toSorted(),
    );
    expect(second.nextCursor).toBeNull();
  });

  test('is stored with its URL without a fragment, and with each event type once', async () => {
    const { companies, company } = await aWorldWithWebhooks();
    const { endpoint } = await companies.createWebhookEndpoint(company, {
      url: 'https://EXAMPLE.com/a b?c=d#e',
      types: ['access_request.created', 'access_request.created'],
    });
    expect(endpoint.url).toBe('https://example.com/a%20b?c=d');
    expect(endpoint.types).toEqual(['access_request.created']);
  });

  test.each([
    ['a text that isn’t a URL', 'example.com'],
    ['another protocol than http or https', 'ftp://example.com/'],
    ['a protocol that only ends with https', 'xhttps://example.com/'],
    ['a password in its URL', 'https://user:secret@example.com/'],
    ['a user name in its URL', 'https://user@example.com/'],
    ['a URL of more than 2,000 characters', `https://example.com/${'x'.repeat(2000)}`],
    [
      'a URL of more than 2,000 characters after encoding',
      `https://example.com/${'é'.repeat(1000)}`,
    ],
  ])('is refused with %s', async (_name, wrong) => {
    const { companies, company } = await aWorldWithWebhooks();
    const attempt = companies.createWebhookEndpoint(company, { url: wrong });
    await expectRefusal(attempt, 'invalid_parameter', 'url');
  });

  test.each([
    ['of 2,000 characters', `https://example.com/${'x'.repeat(1980)}`],
    [
      'that isn’t encrypted, if the service’s sender of webhooks allows such URLs',
      'http://example.com/',
    ],
  ])('can have a URL %s', async (_name, right) => {
    const { companies, company } = await aWorldWithWebhooks();
    const { endpoint } = await companies.createWebhookEndpoint(company, { url: right });
    expect(endpoint.url).toBe(right);
  });

  test('is refused with a hint if its URL isn’t public', async () => {
    const { companies, company } = await aWorldWithWebhooks();
    const attempt = companies.createWebhookEndpoint(company, { url: 'https://private.example/' });
    const refusal = await expectRefusal(attempt, 'invalid_parameter');
    expect(refusal.message).toContain('address on the internet');
    expect(refusal.message).toContain('WEBHOOK_ALLOW_PRIVATE=on');
    expect(refusal.details).toEqual({ param: 'url' });
  });

  test('is refused with an unknown event type', async () => {
    const { companies, company } = await aWorldWithWebhooks();
    const input = { url, types: ['access_request.unknown'] } as never;
    await expectRefusal(
      () => companies.createWebhookEndpoint(company, input),
      'invalid_parameter',
      'types',
    );
  });

  test('is refused if the company already has ten endpoints', async () => {
    const { companies, company } = await aWorldWithWebhooks();
    for (let count = 0; count < 10; count += 1) {
      await companies.createWebhookEndpoint(company, { url });
    }
    await expectRefusal(
      companies.createWebhookEndpoint(company, { url }),
      'webhook_endpoint_limit',
    );
  });

  test('can’t be found by other companies and investors', async () => {
    const { world, operator, companies, newcomer, company, endpoint } = await aWorldWithEndpoint();
    const ofInvestor = await operator.addWebhook({ investorId: newcomer.investor.id, url });
    const stranger = await world.admitCompany((await world.company()).id);
    for (const [caller, id] of [
      [stranger, endpoint.id],
      [company, ofInvestor.endpoint.id],
      [company, 'we_unknown'],
      [company, "we_' or 1=1"],
    ] as const) {
      const code = 'webhook_endpoint_not_found';
      await expectRefusal(companies.readWebhookEndpoint(caller, { id }), code);
      await expectRefusal(companies.removeWebhookEndpoint(caller, { id }), code);
      await expectRefusal(companies.rotateWebhookEndpoint(caller, { id }), code);
      await expectRefusal(companies.testWebhookEndpoint(caller, { id }), code);
      await expectRefusal(companies.listWebhookDeliveries(caller, { id }), code);
    }
  });

  test('can’t be found after its removal', async () => {
    const { companies, company, id } = await aWorldWithEndpoint();
    await companies.removeWebhookEndpoint(company, { id });
    const code = 'webhook_endpoint_not_found';
    await expectRefusal(companies.removeWebhookEndpoint(company, { id }), code);
  });

  test('can’t be found if a simultaneous call removes it', async () => {
    const { companies, company, id } = await aWorldWithEndpoint();
    const both = await Promise.allSettled(
      [1, 2].map(() => companies.removeWebhookEndpoint(company, { id })),
    );
    await expectOneRefusal(both, 'webhook_endpoint_not_found');
  });

  test('is tested with one message, and the caller gets the outcome', async () => {
    const { webhooks, companies, clock, company, id, secret } = await aWorldWithEndpoint();
    webhooks.answer({ status: 404, retryAfterSeconds: null });
    expect(await companies.testWebhookEndpoint(company, { id })).toEqual({
      isDelivered: false,
      outcome: { status: 404, retryAfterSeconds: null },
    });
    expect(webhooks.sent).toMatchObject([
      { id: expect.stringMatching(/^evt_\w+$/), url, secrets: [secret] },
    ]);
    expect(JSON.parse(webhooks.sent[0]?.body ?? '')).toEqual({
      type: 'webhook.test',
      timestamp: clock.now().toISOString(),
      data: {},
    });
  });
});

describe('a rotation of an endpoint’s secret', () => {
  test('lets the endpoint use the new and the previous secret for a day, but no older one', async () => {
    const { webhooks, operator, companies, clock, company } = await aWorldWithWebhooks();
    const first = await companies.createWebhookEndpoint(company, { url });
    const { id } = first.endpoint;
    const second = await companies.rotateWebhookEndpoint(company, { id });
    await companies.testWebhookEndpoint(company, { id });
    expect(webhooks.sent.at(-1)?.secrets).toEqual([second.secret, first.secret]);
    clock.advance(day);
    await companies.testWebhookEndpoint(company, { id });
    expect(webhooks.sent.at(-1)?.secrets).toEqual([second.secret]);
    const third = await operator.rotateWebhook({ id });
    const fourth = await operator.rotateWebhook({ id });
    await operator.testWebhook({ id });
    expect(webhooks.sent.at(-1)?.secrets).toEqual([fourth.secret, third.secret]);
  });

  test('is refused during another rotation, so that each returned secret is really used', async () => {
    const { companies, company, id } = await aWorldWithEndpoint();
    const both = await Promise.allSettled(
      [1, 2].map(() => companies.rotateWebhookEndpoint(company, { id })),
    );
    await expectOneRefusal(both, 'webhook_endpoint_conflict');
  });
});

describe('an operator', () => {
  test('sees the endpoints of one company, of one investor or of all owners', async () => {
    const { operator, newcomer } = await aWorldWithWebhooks();
    const one = await operator.addWebhook({ companyId: newcomer.companyId, url });
    const two = await operator.addWebhook({ investorId: newcomer.investor.id, url });
    const list = async (owner?: Parameters<typeof operator.listWebhooks>[0]) =>
      (await operator.listWebhooks(owner)).map(({ id }) => id);
    expect(await list({ companyId: newcomer.companyId })).toEqual([one.endpoint.id]);
    expect(await list({ investorId: newcomer.investor.id })).toEqual([two.endpoint.id]);
    expect(await list()).toEqual([one.endpoint.id, two.endpoint.id]);
  });

  test('must choose exactly one existing company or investor as the owner of a new endpoint', async () => {
    const { operator, newcomer } = await aWorldWithWebhooks();
    await expectRefusal(
      operator.addWebhook({ url }),
      'invalid_parameter',
      'name a company or an investor',
    );
    const both = { companyId: newcomer.companyId, investorId: newcomer.investor.id, url };
    await expectRefusal(operator.addWebhook(both), 'invalid_parameter', 'not both');
    const unknown = operator.addWebhook({ companyId: 'co_unknown', url });
    await expectRefusal(unknown, 'company_not_found', 'co_unknown');
    const nobody = operator.addWebhook({ investorId: 'inv_unknown', url });
    await expectRefusal(nobody, 'investor_not_found', 'inv_unknown');
  });
});
