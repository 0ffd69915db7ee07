import type { z } from 'zod';
import { type Cursor, isEarlier, type Page, readCursor, toPage } from '../../model/cursor.ts';
import type { WebhookDelivery } from '../../model/events/webhook-delivery.ts';
import type { WebhookEndpoint } from '../../model/events/webhook-endpoint.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import {
  createEndpoint,
  enableEndpoint,
  findEndpoint,
  listDeliveries,
  type listDeliveriesInput,
  type MintedWebhook,
  type NewWebhookInput,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  type WebhookTest,
  webhookInput,
} from './manage-webhooks.ts';

type Input = z.input<typeof webhookInput>;

const idOf = (input: Input): string => parseInput(webhookInput, input).id;

/** @throws InputError, and AccessError `invalid_parameter`, `webhook_endpoint_limit` */
export const createWebhookEndpoint =
  (ports: Ports) =>
  ({ companyId }: CompanyCaller, input: NewWebhookInput): Promise<MintedWebhook> =>
    createEndpoint(ports, { companyId }, input);

const cursorOf = ({ createdAt, id }: WebhookEndpoint): Cursor => ({ instant: createdAt, id });

/**
 * A page of those of the caller's company, newest first.
 *
 * @throws InputError
 */
export const listWebhookEndpoints =
  ({ webhookEndpoints }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof pageInput> = {},
  ): Promise<Page<WebhookEndpoint>> => {
    const { limit, cursor } = parseInput(pageInput, input);
    const before = readCursor(cursor);
    // There are few, so all are read.
    const newestFirst = (await webhookEndpoints.list({ companyId }))
      .filter((endpoint) => before === null || isEarlier(cursorOf(endpoint), before))
      .toReversed();
    return toPage(newestFirst, limit, cursorOf);
  };

/** @throws InputError, and AccessError `webhook_endpoint_not_found`; so do the others */
export const readWebhookEndpoint =
  (ports: Ports) =>
  async ({ companyId }: CompanyCaller, input: Input): Promise<WebhookEndpoint> =>
    findEndpoint(ports, companyId, idOf(input));

/** Nothing is delivered to it any more. */
export const removeWebhookEndpoint =
  (ports: Ports) =>
  async ({ companyId }: CompanyCaller, input: Input): Promise<void> =>
    removeEndpoint(ports, companyId, idOf(input));

/** It is told again of what happens from now on. */
export const enableWebhookEndpoint =
  (ports: Ports) =>
  async ({ companyId }: CompanyCaller, input: Input): Promise<WebhookEndpoint> =>
    enableEndpoint(ports, companyId, idOf(input));

/** @throws AccessError `webhook_endpoint_conflict` when another rotates it at the same time */
export const rotateWebhookEndpoint =
  (ports: Ports) =>
  async ({ companyId }: CompanyCaller, input: Input): Promise<MintedWebhook> =>
    rotateSecret(ports, companyId, idOf(input));

export const testWebhookEndpoint =
  (ports: Ports) =>
  async ({ companyId }: CompanyCaller, input: Input): Promise<WebhookTest> =>
    testEndpoint(ports, companyId, idOf(input));

export const listWebhookDeliveries =
  (ports: Ports) =>
  (
    { companyId }: CompanyCaller,
    input: z.input<typeof listDeliveriesInput>,
  ): Promise<Page<WebhookDelivery>> =>
    listDeliveries(ports, companyId, input);
