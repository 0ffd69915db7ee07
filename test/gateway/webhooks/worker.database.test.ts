import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { OperatorUseCases, ServiceUseCases, WebhookDelivery } from '#core';
import { type Composition, compose } from '../../../gateway/compose.ts';
import { readConfig } from '../../../gateway/config.ts';
import { createRateLimiter } from '../../../gateway/rate-limit/rate-limiter.ts';
import { startWebhooks } from '../../../gateway/webhooks/worker.ts';
import { backends } from '../../support/backends.ts';
import { createFixtures, type Portfolio } from '../../support/fixtures.ts';
import { type ReceivedCall, type Receiver, startReceiver } from './receiver.ts';

describe.each(backends)('webhooks ($name)', ({ isUnreachable, open }) => {
  describe.skipIf(isUnreachable)('', () => {
    const opened = new AsyncDisposableStack();
    const running = new Set<ReturnType<typeof startWebhooks>>();
    const errors: unknown[] = [];
    const logger = { error: ({ err }: { err: unknown }) => errors.push(err) };
    let composition: Composition;
    let operator: OperatorUseCases;
    let background: ServiceUseCases;
    let fixtures: ReturnType<typeof createFixtures>;

    beforeAll(async () => {
      const { storage, release } = await open();
      opened.defer(release);
      const config = readConfig({
        ...('databaseUrl' in storage && { DATABASE_URL: storage.databaseUrl }),
        ...('dataDir' in storage && { DATA_DIR: storage.dataDir }),
        WEBHOOK_ALLOW_PRIVATE: 'on',
        WEBHOOK_RETRY_SECONDS: '0,0,3600',
      });
      const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
      opened.defer(() => rateLimiter.close());
      composition = await compose(config, {
        role: 'service',
        rateLimiter,
        onError: (error) => errors.push(error),
      });
      opened.defer(() => composition.database.close());
      operator = composition.operatorUseCases;
      background = composition.serviceUseCases;
      fixtures = createFixtures(operator, composition.investorUseCases);
    });
    afterEach(async () => {
      await Promise.all([...running].map((worker) => worker.stop()));
      running.clear();
      expect(errors).toEqual([]);
    });
    afterAll(() => opened.disposeAsync());

    function start(
      useCases: ServiceUseCases = background,
      maxConcurrent = 100,
    ): ReturnType<typeof startWebhooks> {
      const worker = startWebhooks({
        useCases,
        ...{ logger, metrics: null, maxConcurrent, pollMilliseconds: 20, stopMilliseconds: 10 },
      });
      running.add(worker);
      return worker;
    }

    async function receive(answer: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
      const receiver = await startReceiver(answer);
      opened.defer(() => receiver.close());
      return receiver;
    }

    async function subscribe({ url }: Pick<Receiver, 'url'>) {
      const portfolio = await fixtures.portfolio();
      const minted = await operator.addWebhook({ companyId: portfolio.company.id, url });
      return { ...portfolio, ...minted };
    }

    const happen = ({ key, company }: Pick<Portfolio, 'key' | 'company'>) =>
      fixtures.request(key, company.id);

    const deliveriesOf = async (id: string): Promise<readonly WebhookDelivery[]> =>
      (await operator.listDeliveriesOfWebhook({ id })).items;

    const expectDelivery = (id: string, expected: Partial<WebhookDelivery>) =>
      expect.poll(() => deliveriesOf(id)).toMatchObject([expected]);

    test('are delivered only once by any number of workers', async () => {
      const receiver = await receive((_call, response) => response.writeHead(200).end('ok'));
      const { endpoint, ...pair } = await subscribe(receiver);
      start();
      start();
      start();
      await happen(pair);
      await expectDelivery(endpoint.id, { state: 'delivered', attempts: 1, lastStatus: 200 });
      expect(receiver.calls).toHaveLength(1);
    });

    test('don’t wait if another company’s receivers never answer', async () => {
      const silent = await receive(() => undefined);
      const quick = await receive((_call, response) => response.writeHead(204).end());
      const stuck = await subscribe(silent);
      for (let count = 1; count < 6; count += 1) {
        await operator.addWebhook({ companyId: stuck.company.id, url: silent.url });
      }
      const other = await subscribe(quick);
      await happen(stuck);
      start(background, 5);
      await expect.poll(() => silent.calls.length).toBe(3);
      await happen(other);
      await expectDelivery(other.endpoint.id, { state: 'delivered' });
      expect(silent.calls).toHaveLength(3);
    });

    test('don’t wait for webhooks to another receiver that never answers', async () => {
      const silent = await receive(() => undefined);
      const quick = await receive((_call, response) => response.writeHead(204).end());
      const stuck = await subscribe(silent);
      const other = await subscribe(quick);
      for (let count = 0; count < 6; count += 1) {
        const request = await happen(stuck);
        await operator.declineAccessRequest({ id: request.id });
      }
      start();
      await expect.poll(() => silent.calls.length).toBe(4);
      await happen(other);
      await expectDelivery(other.endpoint.id, { state: 'delivered' });
      expect(silent.calls).toHaveLength(4);
    });

    test.each([302, 500])(
      'are retried, marked as failed and replayed if they get the status %i',
      async (status) => {
        let answer = status;
        const target = await receive((_call, response) => response.writeHead(204).end());
        const receiver = await receive((_call, response) =>
          response.writeHead(answer, { location: target.url }).end(),
        );
        const { endpoint, ...pair } = await subscribe(receiver);
        start();
        await happen(pair);
        await expectDelivery(endpoint.id, { state: 'pending', attempts: 3, lastStatus: status });
        answer = 200;
        const [{ eventId } = { eventId: '' }] = await deliveriesOf(endpoint.id);
        await setAside(endpoint.id);
        await expectDelivery(endpoint.id, { state: 'failed', nextAttemptAt: null });
        expect(await operator.replayWebhook({ id: endpoint.id, eventId })).toBe(1);
        await expectDelivery(endpoint.id, { state: 'delivered', attempts: 1, lastStatus: 200 });
        expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))).toEqual(
          new Set([eventId]),
        );
        expect(target.connections()).toBe(0);
      },
    );

    test('are delivered by another worker if they were in progress when a worker was stopped', async () => {
      let isHanging = true;
      const receiver = await receive((_call, response) => {
        if (!isHanging) response.writeHead(204).end();
      });
      const { endpoint, ...pair } = await subscribe(receiver);
      const first = start();
      await happen(pair);
      await expect.poll(() => receiver.calls.length).toBe(1);
      await first.stop();
      await expectDelivery(endpoint.id, { state: 'pending', attempts: 0 });
      isHanging = false;
      start();
      await expectDelivery(endpoint.id, { state: 'delivered', attempts: 1 });
      expect(idsOf(receiver.calls).size).toBe(1);
    });

    test('resume after an outage of the database, with only one log line', async () => {
      const receiver = await receive((_call, response) => response.writeHead(204).end());
      const { endpoint, ...pair } = await subscribe(receiver);
      const outage = new Error('the database is away');
      let looks = 0;
      const isAway = () => looks < 4;
      start({
        ...background,
        async queueWebhooks() {
          looks += 1;
          if (isAway()) throw outage;
          return background.queueWebhooks();
        },
      });
      await happen(pair);
      await expectDelivery(endpoint.id, { state: 'delivered' });
      expect(errors.splice(0)).toEqual([outage]);
    });

    /** Marks a delivery as failed, as if all its attempts had failed. */
    async function setAside(id: string): Promise<void> {
      const { webhookDeliveries } = composition.database.repositories;
      const [delivery = never()] = await deliveriesOf(id);
      await webhookDeliveries.settle(delivery, {
        ...delivery,
        state: 'failed',
        nextAttemptAt: null,
      });
    }
  });
});

const idsOf = (calls: readonly ReceivedCall[]) =>
  new Set(calls.map(({ headers }) => headers['webhook-id']));

function never(): never {
  throw new Error('there is no delivery');
}
