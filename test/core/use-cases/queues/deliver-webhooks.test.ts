import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { anEntry } from '../../../contracts/builders.ts';
import { day, expectRefusal, later } from '../../world.ts';
import { aWorldWithEndpoint, aWorldWithWebhooks, delivered, never, url } from './webhook-steps.ts';

describe('a webhook event', () => {
  test('is delivered to the endpoints of its company and its investor that subscribe to its type', async () => {
    const { operator, companies, clock, newcomer, company, ask, work, sentTo, deliveriesOf } =
      await aWorldWithWebhooks();
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

    await operator.approveAccessRequest({ id: accessRequest.id });
    await work();
    expect(sentTo(`${url}/company`)).toHaveLength(2);
    expect(sentTo(`${url}/investor`)).toHaveLength(1);
    expect(sentTo(`${url}/picky`)).toHaveLength(1);
  });

  test('is sent up to ten times if the receiver doesn’t answer, and later only if an operator repeats it', async () => {
    const { webhooks, operator, clock, ask, work, deliveriesOf, minted, id } =
      await aWorldWithEndpoint();
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
    expect(await operator.replayWebhook({ id })).toBe(1);
    expect(await work()).toEqual([delivered]);
    expect(await operator.replayWebhook({ id })).toBe(0);
    const [{ eventId } = { eventId: '' }] = await deliveriesOf(minted);
    expect(await operator.replayWebhook({ id, eventId })).toBe(1);
    expect(await work()).toEqual([delivered]);
    expect(webhooks.sent).toHaveLength(12);
  });

  test('can’t be repeated if it has no delivery', async () => {
    const { operator, id } = await aWorldWithEndpoint();
    await expectRefusal(
      operator.replayWebhook({ id, eventId: 'evt_unknown' }),
      'webhook_delivery_not_found',
      'evt_unknown',
    );
  });

  test('isn’t sent to an investor if the company has left its portfolio', async () => {
    const { webhooks, operator, background, newcomer, ask, work, deliveriesOf } =
      await aWorldWithWebhooks();
    const minted = await operator.addWebhook({ investorId: newcomer.investor.id, url });
    await ask();
    await background.queueWebhooks();
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

  test('is the last event for an endpoint that answers with the status 410', async () => {
    const { webhooks, operator, companies, clock, company, ask, work, id } =
      await aWorldWithEndpoint();
    await ask();
    webhooks.answer({ status: 410, retryAfterSeconds: null });
    await work();
    const { accessRequest } = await ask();
    await operator.approveAccessRequest({ id: accessRequest.id });
    expect(await work()).toEqual([]);
    expect(webhooks.sent).toHaveLength(1);
    expect((await companies.listWebhookEndpoints(company)).items).toMatchObject([
      { disabledAt: clock.now(), disabledReason: 'gone' },
    ]);
    expect((await operator.listSettingsChanges()).items[0]).toMatchObject({
      type: 'webhook_endpoint.disabled',
      actor: { type: 'service' },
      changes: { disabledReason: { from: null, to: 'gone' } },
    });
    await expectRefusal(operator.replayWebhook({ id }), 'webhook_endpoint_disabled', 'disabled');
  });

  test('is delivered after its endpoint is enabled again, but not if it happened while the endpoint was disabled', async () => {
    const { world, webhooks, operator, companies, company, ask, work, minted, id } =
      await aWorldWithEndpoint();
    await ask();
    webhooks.answer({ status: 410, retryAfterSeconds: null });
    await work();
    const { accessRequest } = await ask();
    await operator.approveAccessRequest({ id: accessRequest.id });
    await work();
    webhooks.answer(delivered);
    expect(await companies.enableWebhookEndpoint(company, { id })).toEqual(minted.endpoint);
    await operator.revokeAccessRequest({ id: accessRequest.id });
    expect(await work()).toEqual([delivered]);
    expect(webhooks.sent).toHaveLength(2);
    expect(await operator.enableWebhook({ id })).toEqual(minted.endpoint);
    const other = await world.admitCompany((await world.company()).id);
    for (const attempt of [
      companies.enableWebhookEndpoint(other, { id }),
      operator.enableWebhook({ id: 'we_none' }),
    ]) {
      await expectRefusal(attempt, 'webhook_endpoint_not_found');
    }
  });

  test('isn’t sent to an endpoint that is removed while it is being enabled', async () => {
    const { world, companies, clock, company, id, endpoint } = await aWorldWithEndpoint();
    const find = vi.spyOn(world.ports.webhookEndpoints, 'find');
    find.mockImplementationOnce(async () => {
      await world.ports.webhookEndpoints.remove(null, id, clock.now(), anEntry());
      return endpoint;
    });
    const attempt = companies.enableWebhookEndpoint(company, { id });
    await expectRefusal(attempt, 'webhook_endpoint_not_found');
  });

  test('is delivered if the endpoint accepts it, even if it answers another event with the status 410', async () => {
    const { webhooks, operator, companies, company, ask, work, deliveriesOf, minted, id } =
      await aWorldWithEndpoint();
    const { accessRequest } = await ask();
    await operator.approveAccessRequest({ id: accessRequest.id });
    const send = vi.spyOn(webhooks.sender, 'send');
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
    expect(await companies.readWebhookEndpoint(company, { id })).toMatchObject({
      disabledReason: 'gone',
    });
  });

  test('is sent again after the status 410 if the service couldn’t disable the endpoint', async () => {
    const { world, webhooks, companies, clock, company, ask, work, deliveriesOf, minted } =
      await aWorldWithEndpoint();
    await ask();
    webhooks.answer({ status: 410, retryAfterSeconds: null });
    const disable = vi.spyOn(world.ports.webhookEndpoints, 'disable');
    disable.mockRejectedValueOnce(new Error('no database'));
    await expect(work()).rejects.toThrow('no database');
    expect(await deliveriesOf(minted)).toMatchObject([{ state: 'pending', lastStatus: 410 }]);
    clock.advance(25_000);
    expect(await work()).toHaveLength(1);
    expect(await deliveriesOf(minted)).toMatchObject([{ state: 'failed', lastStatus: 410 }]);
    expect((await companies.listWebhookEndpoints(company)).items).toMatchObject([
      { disabledReason: 'gone' },
    ]);
  });

  test('isn’t delivered if an operator repeats it while its endpoint is being disabled', async () => {
    const { world, webhooks, operator, background, clock, ask, work, id, endpoint } =
      await aWorldWithEndpoint();
    await ask();
    await background.queueWebhooks();
    vi.spyOn(world.ports.webhookEndpoints, 'find').mockImplementationOnce(async () => {
      await world.ports.webhookEndpoints.disable(id, 'gone', clock.now(), anEntry());
      return endpoint;
    });
    expect(await operator.replayWebhook({ id })).toBe(1);
    expect(await work()).toEqual([]);
    expect(webhooks.sent).toEqual([]);
  });

  test('isn’t delivered to an endpoint that is removed after a worker has claimed it', async () => {
    const { webhooks, operator, background, ask, id } = await aWorldWithEndpoint();
    await ask();
    await background.queueWebhooks();
    const claims = await background.claimWebhookEndpoints(10);
    expect(claims).toEqual([{ id: expect.stringMatching(/^clm_\w+$/), endpointId: id }]);
    await operator.removeWebhook({ id });
    for (const claim of claims) {
      const onOutcome = () => expect.unreachable();
      await background.deliverWebhooks(claim, { stopSignal: never, abortSignal: never, onOutcome });
    }
    expect(webhooks.sent).toEqual([]);
  });
});

test('the deliveries of an endpoint are listed newest first, page by page', async () => {
  const { operator, background, companies, clock, company, ask, work, id } =
    await aWorldWithEndpoint();
  const { accessRequest } = await ask();
  clock.advance(1);
  await operator.declineAccessRequest({ id: accessRequest.id });
  await background.queueWebhooks();
  const list = (cursor: string | null) =>
    companies.listWebhookDeliveries(company, { id, limit: 1, cursor });
  const first = await list(null);
  const second = await list(first.nextCursor);
  expect([first, second].map(({ items }) => items.map(({ eventType }) => eventType))).toEqual([
    ['access_request.declined'],
    ['access_request.created'],
  ]);
  expect(second.nextCursor).toBeNull();
  await work();
});

describe('a worker that has claimed an endpoint', () => {
  test('doesn’t count interrupted attempts if the worker is stopped, so their deliveries can be claimed again', async () => {
    const { webhooks, ask, work, deliveriesOf, minted } = await aWorldWithEndpoint();
    await ask();
    webhooks.answer({ failure: 'stopped' });
    const aborted = AbortSignal.abort();
    expect(await work({ stopSignal: aborted, abortSignal: aborted })).toEqual([]);
    expect(await deliveriesOf(minted)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    webhooks.answer(delivered);
    expect(await work()).toEqual([delivered]);
  });

  test.each([
    ['starts no delivery after five seconds', 1_250, 4],
    ['starts deliveries for five seconds', 1_249, 8],
  ])('%s, so that other endpoints don’t have to wait', async (_name, milliseconds, count) => {
    const { webhooks, operator, background, clock, ask, work, deliveriesOf, minted } =
      await aWorldWithEndpoint();
    for (let turn = 0; turn < 5; turn += 1) {
      const { accessRequest } = await ask();
      await operator.declineAccessRequest({ id: accessRequest.id });
    }
    let sent = 0;
    const { send } = webhooks.sender;
    webhooks.sender.send = async (request) => {
      sent += 1;
      clock.advance(milliseconds);
      return send(request);
    };
    await work();
    expect(sent).toBe(count);
    webhooks.sender.send = send;
    await work();
    expect(await deliveriesOf(minted)).toHaveLength(10);
    expect((await background.readBacklogs()).webhooks.waiting).toBe(0);
  });
});

test('deliveries of webhook events are deleted 90 days after their event', async () => {
  const { background, companies, clock, company, ask, work, deliveriesOf, minted, id } =
    await aWorldWithEndpoint();
  await ask();
  await work();
  clock.advance(90 * day);
  await background.deleteOldDeliveries();
  expect(await companies.listWebhookDeliveries(company, { id })).toMatchObject({
    items: [{ state: 'delivered' }],
  });
  clock.advance(1);
  while ((await background.deleteOldDeliveries()) > 0);
  expect(await deliveriesOf(minted)).toEqual([]);
});
