import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type CompanyCaller,
  createCompanyUseCases,
  type MintedWebhook,
  type WebhookOutcome,
} from '#core';
import { createMemoryWebhookPlatform } from '../memory/webhook-sender.ts';
import {
  createWorld,
  day,
  expectOperatorError,
  expectRefusal,
  expectRefusalSaying,
  later,
  type Newcomer,
} from './world.ts';

const webhooks = createMemoryWebhookPlatform();
const world = createWorld(() => ({ webhooks }));
const { operator, clock } = world;
const companies = createCompanyUseCases(world.ports);
const delivered: WebhookOutcome = { status: 200, retryAfterSeconds: null };
const url = 'https://example.com/hook';

let newcomer: Newcomer;
let company: CompanyCaller;

function callerOf(companyId: string): CompanyCaller {
  return {
    companyId,
    keyId: 'ck_1',
    environment: 'live',
    requestId: 'req_1',
    actor: { type: 'company_key', id: 'ck_1' },
    budget: null,
  };
}

const ask = () =>
  world.callers.requestAccess(newcomer.caller, {
    companyId: newcomer.companyId,
    scopes: ['metrics:read'],
  });

/** Takes every turn that is due, as a worker does. */
async function work(signals: Partial<Record<'stopping' | 'cut', AbortSignal>> = {}) {
  const outcomes: WebhookOutcome[] = [];
  while ((await operator.queueWebhooks()) > 0);
  for (const claim of await operator.claimWebhookEndpoints(100)) {
    const never = new AbortController().signal;
    await operator.deliverWebhooks(claim, {
      stopping: never,
      cut: never,
      ...signals,
      onOutcome: (outcome) => outcomes.push(outcome),
    });
  }
  return outcomes;
}

const sentTo = (target: string) => webhooks.sent.filter((request) => request.url === target);

async function deliveriesOf({ endpoint }: MintedWebhook) {
  return (await operator.listDeliveriesOfWebhook({ id: endpoint.id })).items;
}

beforeEach(async () => {
  newcomer = await world.newcomer();
  company = callerOf(newcomer.companyId);
  await work();
  webhooks.sent.length = 0;
  webhooks.answer(delivered);
});

describe('an endpoint of a company', () => {
  test('is created with a secret of 32 random bytes, which no list shows', async () => {
    const { endpoint, secret } = await companies.createWebhookEndpoint(company, { url });
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(endpoint).toMatchObject({ url, types: [], owner: { companyId: newcomer.companyId } });
    expect(await companies.listWebhookEndpoints(company)).toEqual({
      items: [endpoint],
      nextCursor: null,
    });
    expect(await companies.readWebhookEndpoint(company, { id: endpoint.id })).toEqual(endpoint);
  });

  test('is listed page by page, newest first, also when several are of the same instant', async () => {
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

  test('keeps its URL without a fragment, and each type once', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, {
      url: 'https://EXAMPLE.com/a b?c=d#e',
      types: ['access_request.created', 'access_request.created'],
    });
    expect(endpoint.url).toBe('https://example.com/a%20b?c=d');
    expect(endpoint.types).toEqual(['access_request.created']);
  });

  test.each([
    ['no URL', 'example.com'],
    ['another protocol', 'ftp://example.com/'],
    ['a password', 'https://user:secret@example.com/'],
    ['a name', 'https://user@example.com/'],
    ['more than 2,000 characters', `https://example.com/${'x'.repeat(2000)}`],
    ['more than 2,000 characters when it is encoded', `https://example.com/${'é'.repeat(1000)}`],
  ])('is refused with %s', async (_name, wrong) => {
    const attempt = companies.createWebhookEndpoint(company, { url: wrong });
    await expectRefusalSaying(attempt, 'invalid_parameter', 'url');
  });

  test('is refused when it does not lead to the internet, and says so', async () => {
    const attempt = companies.createWebhookEndpoint(company, { url: 'https://private.example/' });
    await expectRefusalSaying(attempt, 'invalid_parameter', 'internet');
  });

  test('is refused with a type that nobody knows', async () => {
    const input = { url, types: ['access_request.unknown'] } as never;
    await expectRefusalSaying(
      () => companies.createWebhookEndpoint(company, input),
      'invalid_parameter',
      'types',
    );
  });

  test('is refused when there are ten already', async () => {
    for (let count = 0; count < 10; count += 1) {
      await companies.createWebhookEndpoint(company, { url });
    }
    await expectRefusal(
      companies.createWebhookEndpoint(company, { url }),
      'webhook_endpoint_limit',
    );
  });

  test('does not exist for anybody else', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    const ofInvestor = await operator.addWebhook({ investorId: newcomer.investor.id, url });
    const stranger = callerOf((await world.company()).id);
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

  test('is gone when it was removed', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    await companies.removeWebhookEndpoint(company, { id: endpoint.id });
    const code = 'webhook_endpoint_not_found';
    await expectRefusal(companies.removeWebhookEndpoint(company, { id: endpoint.id }), code);
  });

  test('that another removes in the same moment is not found', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    const both = await Promise.allSettled([
      companies.removeWebhookEndpoint(company, { id: endpoint.id }),
      companies.removeWebhookEndpoint(company, { id: endpoint.id }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('is tested by one message, whose outcome is told', async () => {
    const { endpoint, secret } = await companies.createWebhookEndpoint(company, { url });
    webhooks.answer({ status: 404, retryAfterSeconds: null });
    expect(await companies.testWebhookEndpoint(company, { id: endpoint.id })).toEqual({
      isDelivered: false,
      outcome: { status: 404, retryAfterSeconds: null },
    });
    expect(webhooks.sent).toMatchObject([{ url, secrets: [secret] }]);
    expect(JSON.parse(webhooks.sent[0]?.body ?? '')).toEqual({
      type: 'webhook.test',
      timestamp: clock.now().toISOString(),
      data: {},
    });
  });
});

describe('a rotation', () => {
  test('signs with both secrets for a day, and with one before it at once no more', async () => {
    const first = await companies.createWebhookEndpoint(company, { url });
    const { id } = first.endpoint;
    const second = await companies.rotateWebhookEndpoint(company, { id });
    await companies.testWebhookEndpoint(company, { id });
    expect(webhooks.sent.at(-1)?.secrets).toEqual([second.secret, first.secret]);
    clock.advance(day);
    await companies.testWebhookEndpoint(company, { id });
    expect(webhooks.sent.at(-1)?.secrets).toEqual([second.secret]);
    const third = await operator.rotateWebhook(id);
    const fourth = await operator.rotateWebhook(id);
    await operator.testWebhook(id);
    expect(webhooks.sent.at(-1)?.secrets).toEqual([fourth.secret, third.secret]);
  });

  test('beside another one is refused, so that no secret is shown that does not sign', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    const both = await Promise.allSettled(
      [1, 2].map(() => companies.rotateWebhookEndpoint(company, { id: endpoint.id })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    await expectRefusal(Promise.reject(refused.reason), 'webhook_endpoint_conflict');
  });
});

describe('an event', () => {
  test('is delivered to the endpoints of its company and its investor that want it', async () => {
    const ofCompany = await companies.createWebhookEndpoint(company, { url: `${url}/company` });
    const ofInvestor = await operator.addWebhook({
      investorId: newcomer.investor.id,
      url: `${url}/investor`,
      types: ['access_request.created'],
    });
    const picky = await operator.addWebhook({
      companyId: newcomer.companyId,
      url: `${url}/picky`,
      types: ['access_request.approved'],
    });
    const { accessRequest } = await ask();
    expect(await work()).toEqual([delivered, delivered]);
    const [event] = (await operator.listAccessEvents({ companyId: newcomer.companyId })).events;
    expect(sentTo(`${url}/company`)).toMatchObject([
      { id: event?.id, secrets: [ofCompany.secret], timestamp: clock.now() },
    ]);
    expect(sentTo(`${url}/investor`)).toMatchObject([
      { id: event?.id, secrets: [ofInvestor.secret] },
    ]);
    expect(await deliveriesOf(picky)).toEqual([]);
    expect(await deliveriesOf(ofCompany)).toMatchObject([{ state: 'delivered', attempts: 1 }]);

    await operator.approveAccessRequest(accessRequest.id);
    await work();
    expect(sentTo(`${url}/company`)).toHaveLength(2);
    expect(sentTo(`${url}/investor`)).toHaveLength(1);
    expect(sentTo(`${url}/picky`)).toHaveLength(1);
  });

  test('that a receiver refuses is tried again when it is due, then set aside and sent again', async () => {
    const minted = await companies.createWebhookEndpoint(company, { url });
    await ask();
    webhooks.answer({ failure: 'timeout' });
    await work();
    expect(await work()).toEqual([]);
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      const [{ nextAttemptAt } = { nextAttemptAt: null }] = await deliveriesOf(minted);
      clock.set(later(-1, nextAttemptAt ?? undefined));
      expect(await work()).toEqual([]);
      clock.advance(1);
      expect(await work()).toHaveLength(1);
    }
    expect(await deliveriesOf(minted)).toMatchObject([
      { state: 'failed', attempts: 10, nextAttemptAt: null, lastFailure: 'timeout' },
    ]);
    expect(new Set(webhooks.sent.map(({ id }) => id)).size).toBe(1);

    webhooks.answer(delivered);
    expect(await operator.replayWebhook(minted.endpoint.id)).toBe(1);
    expect(await work()).toEqual([delivered]);
    expect(await operator.replayWebhook(minted.endpoint.id)).toBe(0);
    const [{ eventId } = { eventId: '' }] = await deliveriesOf(minted);
    expect(await operator.replayWebhook(minted.endpoint.id, { eventId })).toBe(1);
    expect(await work()).toEqual([delivered]);
    expect(webhooks.sent).toHaveLength(12);
  });

  test('that nobody has to be told of again cannot be sent again', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    await expectOperatorError(
      operator.replayWebhook(endpoint.id, { eventId: 'evt_unknown' }),
      'not_found',
      'evt_unknown',
    );
  });

  test('is withheld from an investor whose portfolio the company has left', async () => {
    const minted = await operator.addWebhook({ investorId: newcomer.investor.id, url });
    await ask();
    await operator.queueWebhooks();
    await operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    expect(await work()).toEqual([]);
    expect(webhooks.sent).toEqual([]);
    expect(await deliveriesOf(minted)).toMatchObject([
      { state: 'failed', attempts: 0, lastFailure: 'withheld' },
    ]);
  });

  test('is the last one for an endpoint that answers 410', async () => {
    const minted = await companies.createWebhookEndpoint(company, { url });
    await ask();
    webhooks.answer({ status: 410, retryAfterSeconds: null });
    await work();
    const { accessRequest } = await ask();
    await operator.approveAccessRequest(accessRequest.id);
    expect(await work()).toEqual([]);
    expect(webhooks.sent).toHaveLength(1);
    expect((await companies.listWebhookEndpoints(company)).items).toMatchObject([
      { disabledAt: clock.now(), disabledReason: 'gone' },
    ]);
    await expectOperatorError(operator.replayWebhook(minted.endpoint.id), 'conflict', 'disabled');
  });

  test('goes again to an endpoint that was disabled and is enabled, but not what was missed', async () => {
    const minted = await companies.createWebhookEndpoint(company, { url });
    const { id } = minted.endpoint;
    await ask();
    webhooks.answer({ status: 410, retryAfterSeconds: null });
    await work();
    const { accessRequest } = await ask();
    await operator.approveAccessRequest(accessRequest.id);
    await work();
    webhooks.answer(delivered);
    expect(await companies.enableWebhookEndpoint(company, { id })).toEqual(minted.endpoint);
    await operator.revokeAccessRequest(accessRequest.id);
    expect(await work()).toEqual([delivered]);
    expect(webhooks.sent).toHaveLength(2);
    expect(await operator.enableWebhook(id)).toEqual(minted.endpoint);
    const other = callerOf((await world.company()).id);
    for (const attempt of [
      companies.enableWebhookEndpoint(other, { id }),
      operator.enableWebhook('we_none'),
    ]) {
      await expectRefusal(attempt, 'webhook_endpoint_not_found');
    }
  });

  test('goes to no endpoint that is removed while it is enabled', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    const find = vi.spyOn(world.ports.webhookEndpoints, 'find');
    onTestFinished(() => find.mockRestore());
    find.mockImplementationOnce(async () => {
      await world.ports.webhookEndpoints.remove(endpoint.id, clock.now());
      return endpoint;
    });
    const attempt = companies.enableWebhookEndpoint(company, { id: endpoint.id });
    await expectRefusal(attempt, 'webhook_endpoint_not_found');
  });

  test('is delivered when it was taken, though another was answered 410 meanwhile', async () => {
    const minted = await companies.createWebhookEndpoint(company, { url });
    const { accessRequest } = await ask();
    await operator.approveAccessRequest(accessRequest.id);
    const send = vi.spyOn(webhooks.sender, 'send');
    onTestFinished(() => send.mockRestore());
    send.mockResolvedValueOnce({ status: 410, retryAfterSeconds: null });
    send.mockImplementationOnce(async () => {
      await setImmediate();
      return delivered;
    });
    expect(await work()).toHaveLength(2);
    expect(
      (await deliveriesOf(minted)).map(({ state, lastStatus }) => [state, lastStatus]),
    ).toEqual(
      expect.arrayContaining([
        ['failed', 410],
        ['delivered', 200],
      ]),
    );
    const { id } = minted.endpoint;
    expect(await companies.readWebhookEndpoint(company, { id })).toMatchObject({
      disabledReason: 'gone',
    });
  });

  test('is not delivered to an endpoint that was removed after the claim', async () => {
    const { endpoint } = await companies.createWebhookEndpoint(company, { url });
    await ask();
    await operator.queueWebhooks();
    const claims = await operator.claimWebhookEndpoints(10);
    await operator.removeWebhook(endpoint.id);
    const never = new AbortController().signal;
    for (const claim of claims) {
      const onOutcome = () => expect.unreachable();
      await operator.deliverWebhooks(claim, { stopping: never, cut: never, onOutcome });
    }
    expect(webhooks.sent).toEqual([]);
  });
});

test('deliveries are listed newest first, page by page', async () => {
  const { endpoint } = await companies.createWebhookEndpoint(company, { url });
  const { accessRequest } = await ask();
  clock.advance(1);
  await operator.declineAccessRequest(accessRequest.id);
  await operator.queueWebhooks();
  const list = (cursor: string | null) =>
    companies.listWebhookDeliveries(company, { id: endpoint.id, limit: 1, cursor });
  const first = await list(null);
  const second = await list(first.nextCursor);
  expect([first, second].map(({ items }) => items.map(({ eventType }) => eventType))).toEqual([
    ['access_request.declined'],
    ['access_request.created'],
  ]);
  expect(second.nextCursor).toBeNull();
  await work();
});

describe('a turn', () => {
  test('that is stopped keeps nothing of the attempts that were cut, and is given back', async () => {
    const minted = await companies.createWebhookEndpoint(company, { url });
    await ask();
    webhooks.answer({ failure: 'stopped' });
    const stopping = AbortSignal.abort();
    expect(await work({ stopping, cut: stopping })).toEqual([]);
    expect(await deliveriesOf(minted)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    webhooks.answer(delivered);
    expect(await work()).toEqual([delivered]);
  });

  test('ends after a while, so that others have their turn', async () => {
    const minted = await companies.createWebhookEndpoint(company, { url });
    for (let count = 0; count < 5; count += 1) {
      const { accessRequest } = await ask();
      await operator.declineAccessRequest(accessRequest.id);
    }
    let sent = 0;
    const { send } = webhooks.sender;
    webhooks.sender.send = async (request) => {
      sent += 1;
      clock.advance(10_000);
      return send(request);
    };
    await work();
    expect(sent).toBe(4);
    webhooks.sender.send = send;
    await work();
    expect(await deliveriesOf(minted)).toHaveLength(10);
    expect((await operator.readBacklogs()).webhooks.waiting).toBe(0);
  });
});

test('deliveries are forgotten 90 days after their event', async () => {
  const minted = await companies.createWebhookEndpoint(company, { url });
  await ask();
  await work();
  clock.advance(90 * day);
  await operator.forgetOldDeliveries();
  expect(await companies.listWebhookDeliveries(company, { id: minted.endpoint.id })).toMatchObject({
    items: [{ state: 'delivered' }],
  });
  clock.advance(1);
  while ((await operator.forgetOldDeliveries()) > 0);
  expect(await deliveriesOf(minted)).toEqual([]);
});

describe('an operator', () => {
  test('sees the endpoints of one company, of one investor, or all', async () => {
    const one = await operator.addWebhook({ companyId: newcomer.companyId, url });
    const two = await operator.addWebhook({ investorId: newcomer.investor.id, url });
    const list = async (owner?: Parameters<typeof operator.listWebhooks>[0]) =>
      (await operator.listWebhooks(owner)).map(({ id }) => id);
    expect(await list({ companyId: newcomer.companyId })).toEqual([one.endpoint.id]);
    expect(await list({ investorId: newcomer.investor.id })).toEqual([two.endpoint.id]);
    expect(await list()).toEqual(expect.arrayContaining([one.endpoint.id, two.endpoint.id]));
  });

  test('has to name a company or an investor, one that exists', async () => {
    await expectOperatorError(operator.addWebhook({ url }), 'invalid', 'name one');
    const both = { companyId: newcomer.companyId, investorId: newcomer.investor.id, url };
    await expectOperatorError(operator.addWebhook(both), 'invalid', 'name one');
    const unknown = operator.addWebhook({ companyId: 'co_unknown', url });
    await expectOperatorError(unknown, 'not_found', 'co_unknown');
    const nobody = operator.addWebhook({ investorId: 'inv_unknown', url });
    await expectOperatorError(nobody, 'not_found', 'inv_unknown');
  });
});
