import { z } from 'zod';
import type { WebhookDelivery, WebhookEndpoint, WebhookTest } from '#core';
import {
  presentWebhookDelivery as presentDelivery,
  presentWebhookEndpoint as presentEndpoint,
  presentWebhookTest as presentTest,
  snakeCaseKeys,
  webhookDeliveryResource,
  webhookEndpointResource,
  webhookTestResource,
} from '#http';

const { id, ...fields } = snakeCaseKeys(webhookEndpointResource.shape);

export const webhookEndpointSchema = z
  .object({
    id,
    object: z.literal('webhook_endpoint'),
    company_id: z.string().optional(),
    investor_id: z.string().optional(),
    ...fields,
  })
  .meta({ ...webhookEndpointResource.meta(), id: 'WebhookEndpoint' });

export function presentWebhookEndpoint(
  endpoint: WebhookEndpoint,
): z.output<typeof webhookEndpointSchema> {
  const { owner } = endpoint;
  const { id, ...fields } = snakeCaseKeys(presentEndpoint(endpoint));
  return {
    id,
    object: 'webhook_endpoint',
    ...('companyId' in owner ? { company_id: owner.companyId } : { investor_id: owner.investorId }),
    ...fields,
  };
}

export const webhookDeliverySchema = z
  .object({
    object: z.literal('webhook_delivery'),
    ...snakeCaseKeys(webhookDeliveryResource.shape),
  })
  .meta({ ...webhookDeliveryResource.meta(), id: 'WebhookDelivery' });

export const presentWebhookDelivery = (
  delivery: WebhookDelivery,
): z.output<typeof webhookDeliverySchema> => ({
  object: 'webhook_delivery',
  ...snakeCaseKeys(presentDelivery(delivery)),
});

export const webhookTestSchema = z
  .object({ object: z.literal('webhook_test'), ...webhookTestResource.shape })
  .meta({ ...webhookTestResource.meta(), id: 'WebhookTest' });

export const presentWebhookTest = (test: WebhookTest): z.output<typeof webhookTestSchema> => ({
  object: 'webhook_test',
  ...presentTest(test),
});
