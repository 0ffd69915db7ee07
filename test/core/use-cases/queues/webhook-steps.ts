import type { MintedWebhook, WebhookOutcome } from '#core';
import { createMemoryWebhookPlatform } from '../../../memory/webhook-sender.ts';
import { createWorld } from '../../world.ts';

export const delivered: WebhookOutcome = { status: 200, retryAfterSeconds: null };
export const url = 'https://example.com/hook';
export const never = new AbortController().signal;

/** An investor, a company in its portfolio, and a webhook receiver that accepts all deliveries. */
export async function aWorldWithWebhooks() {
  const webhooks = createMemoryWebhookPlatform();
  webhooks.answer(delivered);
  const world = createWorld(() => ({ webhooks }));
  const { operator, background, callers, companies, clock } = world;
  const newcomer = await world.newcomer();
  const company = await world.admitCompany(newcomer.companyId);

  const ask = () =>
    callers.requestAccess(newcomer.caller, {
      companyId: newcomer.companyId,
      scopes: ['metrics:read'],
    });

  /** Claims and delivers all due webhook deliveries, like a worker. */
  async function work(signals: Partial<Record<'stopSignal' | 'abortSignal', AbortSignal>> = {}) {
    const outcomes: WebhookOutcome[] = [];
    while ((await background.queueWebhooks()) > 0);
    for (const claim of await background.claimWebhookEndpoints(100)) {
      await background.deliverWebhooks(claim, {
        stopSignal: never,
        abortSignal: never,
        ...signals,
        onOutcome: (outcome) => outcomes.push(outcome),
      });
    }
    return outcomes;
  }

  const sentTo = (target: string) => webhooks.sent.filter((request) => request.url === target);

  const deliveriesOf = async ({ endpoint }: MintedWebhook) =>
    (await operator.listDeliveriesOfWebhook({ id: endpoint.id })).items;

  return {
    world,
    webhooks,
    operator,
    background,
    companies,
    clock,
    newcomer,
    company,
    ask,
    work,
    sentTo,
    deliveriesOf,
  };
}

export async function aWorldWithEndpoint() {
  const given = await aWorldWithWebhooks();
  const minted = await given.companies.createWebhookEndpoint(given.company, { url });
  return { ...given, ...minted, minted, id: minted.endpoint.id };
}
