import type { z } from 'zod';
import type { Page } from '../../model/cursor.ts';
import { ensure } from '../../model/errors.ts';
import type { WebhookDelivery } from '../../model/events/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../model/events/webhook-endpoint.ts';
import type { Ports } from '../../ports/index.ts';
import {
  createEndpoint,
  enableEndpoint,
  findEndpoint,
  findOwner,
  listDeliveries,
  type listDeliveriesInput,
  type MintedWebhook,
  type NewWebhookInput,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  type WebhookTest,
} from './manage-webhooks.ts';

interface Owner {
  readonly companyId?: string | undefined;
  readonly investorId?: string | undefined;
}

/** @throws OperatorError, InputError, and AccessError `invalid_parameter`, `webhook_endpoint_limit` */
export const addWebhook =
  (ports: Ports) =>
  async ({ companyId, investorId, ...input }: Owner & NewWebhookInput): Promise<MintedWebhook> =>
    createEndpoint(ports, await findOwner(ports, { companyId, investorId }), input);

/** Those of one owner or of all, oldest first. */
export const listWebhooks =
  (ports: Ports) =>
  async (owner: Owner = {}): Promise<WebhookEndpoint[]> => {
    const isOfAll = owner.companyId === undefined && owner.investorId === undefined;
    return ports.webhookEndpoints.list(isOfAll ? null : await findOwner(ports, owner));
  };

/** @throws AccessError `webhook_endpoint_not_found`; so do the others */
export const removeWebhook =
  (ports: Ports) =>
  (id: string): Promise<void> =>
    removeEndpoint(ports, null, id);

export const enableWebhook =
  (ports: Ports) =>
  (id: string): Promise<WebhookEndpoint> =>
    enableEndpoint(ports, null, id);

export const rotateWebhook =
  (ports: Ports) =>
  (id: string): Promise<MintedWebhook> =>
    rotateSecret(ports, null, id);

export const testWebhook =
  (ports: Ports) =>
  (id: string): Promise<WebhookTest> =>
    testEndpoint(ports, null, id);

export const listDeliveriesOfWebhook =
  (ports: Ports) =>
  (input: z.input<typeof listDeliveriesInput>): Promise<Page<WebhookDelivery>> =>
    listDeliveries(ports, null, input);

/**
 * Sends again what is set aside, or the delivery of one event in whatever state.
 *
 * @returns how many deliveries
 * @throws OperatorError `not_found`, `conflict`
 */
export const replayWebhook =
  (ports: Ports) =>
  async (id: string, { eventId }: { eventId?: string | undefined } = {}): Promise<number> => {
    const endpoint = await findEndpoint(ports, null, id);
    ensure(endpoint.disabledAt === null, 'conflict', `the endpoint ${id} is disabled`);
    const now = ports.clock.now();
    const count = await ports.webhookDeliveries.replay(endpoint.id, eventId ?? null, now);
    ensure(
      eventId === undefined || count > 0,
      'not_found',
      `no delivery of ${eventId} to ${id} can be sent again`,
    );
    return count;
  };
