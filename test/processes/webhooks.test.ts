import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRequestEvent } from '#core';
import { type ReceivedCall, type Receiver, startReceiver } from '../gateway/webhooks/receiver.ts';
import { postgres } from '../support/backends.ts';
import { createMigratedPostgresDatabase, withClient } from '../support/databases.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { allEvents } from '../support/operator-events.ts';
import { type RunningService, startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';

const rounds = 20;

describe.skipIf(postgres.isUnreachable)(`webhooks of two processes (${postgres.name})`, () => {
  const opened = new AsyncDisposableStack();
  const services: RunningService[] = [];
  let environment: Record<string, string>;
  let side: OperatorSide;
  let databaseUrl: string;

  beforeAll(async () => {
    const database = await createMigratedPostgresDatabase();
    opened.defer(database.drop);
    databaseUrl = database.url;
    environment = {
      DATABASE_URL: databaseUrl,
      WEBHOOK_ALLOW_PRIVATE: 'on',
      WEBHOOK_RETRY_SECONDS: '0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0',
    };
    services.push(await startServiceProcess(environment), await startServiceProcess(environment));
    side = await openOperatorSide(environment);
    opened.defer(() => side.close());
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await opened.disposeAsync();
  });

  /** Verifies calls with the public library and fails every third one. The test sets `secret` after the start. */
  async function receive(accepted: ReceivedCall[], secretOf: () => string, port = 0) {
    let count = 0;
    return startReceiver(
      (call, response) => {
        count += 1;
        if (count % 3 === 0) {
          response.writeHead(500).end();
          return;
        }
        new Webhook(secretOf()).verify(call.body, call.headers as Record<string, string>);
        accepted.push(call);
        response.writeHead(204).end();
      },
      { port },
    );
  }

  /** Ends the claims of processes at once instead of waiting for their time limit. */
  const endClaims = () =>
    withClient(databaseUrl, (client) =>
      client.query('update webhook_endpoint set due_at = now() where claim_id is not null'),
    );

  test('reach a failing and restarted receiver, even after a kill of the senders: each event has one ID', async () => {
    const { operator, fixtures } = side;
    const pair = await fixtures.portfolio();
    const accepted = { company: [] as ReceivedCall[], investor: [] as ReceivedCall[] };
    const secrets = { company: '', investor: '' };
    const ofCompany = await receive(accepted.company, () => secrets.company);
    let ofInvestor: Receiver = await receive(accepted.investor, () => secrets.investor);
    opened.defer(() => ofCompany.close());
    opened.defer(() => ofInvestor.close());
    const companyId = pair.company.id;
    const investorId = pair.investor.id;
    secrets.company = (await operator.addWebhook({ companyId, url: ofCompany.url })).secret;
    secrets.investor = (await operator.addWebhook({ investorId, url: ofInvestor.url })).secret;

    for (let round = 0; round < rounds; round += 1) {
      const request = await decide(pair);
      if (round === 5) await killOne();
      if (round === 10) {
        await ofInvestor.close();
        ofInvestor = await receive(accepted.investor, () => secrets.investor, ofInvestor.port);
      }
      if (round === 15 && isFull) await killOne();
      expect(request.status).toBe('declined');
    }

    const events = (await allEvents(operator)).filter(
      (event) => isRequestEvent(event) && event.accessRequest.companyId === companyId,
    );
    expect(events).toHaveLength(2 * rounds);
    const ids = events.map(({ id }) => id).toSorted();
    const idsOf = async (calls: readonly ReceivedCall[]) => {
      await endClaims();
      return [...new Set(calls.map(({ headers }) => headers['webhook-id']))].toSorted();
    };
    await expect.poll(() => idsOf(accepted.company)).toEqual(ids);
    await expect.poll(() => idsOf(accepted.investor)).toEqual(ids);

    const [created] = accepted.company;
    const [shown] = accepted.investor;
    expect(JSON.parse(created?.body ?? '')).toMatchObject({
      type: expect.stringMatching(/^access_request\./),
      data: { access_request: { company_id: companyId, investor: { id: investorId } } },
    });
    expect(JSON.parse(shown?.body ?? '').data.access_request).not.toHaveProperty('investor');
  });

  async function decide({ key, company }: Portfolio) {
    const { id } = await side.fixtures.request(key, company.id);
    return (await side.operator.declineAccessRequest({ id })).accessRequest;
  }

  async function killOne(): Promise<void> {
    const [service] = services.splice(0, 1);
    await service?.stop('SIGKILL');
    services.push(await startServiceProcess(environment));
  }
});
