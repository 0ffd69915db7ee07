import { describe, expect, test } from 'vitest';
import { importLines } from '../../../support/fixtures.ts';
import { metricLine, sourceLine } from '../../builders.ts';
import { aWorldWithWebhooks, delivered, url } from './webhook-steps.ts';

const failed = { status: 500, retryAfterSeconds: null };

async function aWorldWithData() {
  const setup = await aWorldWithWebhooks();
  const { world, newcomer, operator } = setup;
  const { investorId } = newcomer.caller;
  let value = 0;
  const change = () => {
    value += 1;
    return importLines(operator, [metricLine(newcomer.companyId, { raw_value: value })]);
  };
  const { id } = await world.grant(newcomer, ['metrics:read']);
  const hook = await operator.addWebhook({
    investorId,
    url,
    types: ['company_data.updated', 'source.failed'],
  });
  return { ...setup, investorId, change, grantId: id, hook };
}

describe('a webhook of an investor', () => {
  test('gets one delivery for each data change that an active grant covers', async () => {
    const { change, work, sentTo, webhooks } = await aWorldWithData();
    await change();
    await work();
    await change();
    await work();
    expect(sentTo(url)).toHaveLength(2);
    expect(webhooks.sent.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'company_data.updated' },
      { type: 'company_data.updated' },
    ]);
  });

  test('gets no delivery for a change outside the grant, because the delivery would reveal it', async () => {
    const { operator, newcomer, work, sentTo, deliveriesOf, hook } = await aWorldWithData();
    await importLines(operator, [sourceLine(newcomer.companyId, { status: 'failed' })]);
    await work();
    expect(sentTo(url)).toEqual([]);
    expect(await deliveriesOf(hook)).toEqual([]);
  });

  test('gets no deliveries after a revocation, not even for earlier changes', async () => {
    const { change, work, sentTo, operator, grantId, deliveriesOf, hook, background } =
      await aWorldWithData();
    await change();
    while ((await background.queueWebhooks()) > 0);
    await operator.revokeAccessRequest({ id: grantId });
    await change();
    await work();
    expect(sentTo(url)).toEqual([]);
    expect(await deliveriesOf(hook)).toMatchObject([
      { state: 'failed', attempts: 0, nextAttemptAt: null, lastFailure: 'withheld' },
    ]);
  });

  test('gets no retry after its grant was revoked, not even if an operator repeats the delivery', async () => {
    const { change, work, sentTo, operator, grantId, deliveriesOf, hook, webhooks, clock } =
      await aWorldWithData();
    webhooks.answer(failed);
    await change();
    await work();
    expect(await deliveriesOf(hook)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    await operator.revokeAccessRequest({ id: grantId });
    webhooks.answer(delivered);
    clock.advance(5_000);
    await work();
    await operator.replayWebhook({ id: hook.endpoint.id });
    await work();
    expect(sentTo(url)).toHaveLength(1);
    expect(await deliveriesOf(hook)).toMatchObject([{ state: 'failed', lastFailure: 'withheld' }]);
  });

  test('gets no events about changed data without a grant, while a company’s webhook gets all event types by default', async () => {
    const { change, work, sentTo, operator, newcomer, world } = await aWorldWithData();
    const other = await world.newcomer();
    const elsewhere = 'https://example.com/elsewhere';
    const everything = 'https://example.com/everything';
    await operator.addWebhook({ investorId: other.caller.investorId, url: elsewhere });
    await operator.addWebhook({ companyId: newcomer.companyId, url: everything });
    await change();
    await work();
    expect(sentTo(elsewhere)).toEqual([]);
    expect(sentTo(everything).map(({ body }) => JSON.parse(body).type)).toContain(
      'company_data.updated',
    );
  });
});
