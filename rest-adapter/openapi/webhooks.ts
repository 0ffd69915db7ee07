import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { accessEventTypes, type DataEventType } from '#core';

/** The webhook messages of an API. */
export interface DescribedWebhooks {
  /** The schema ID of the event's data in the API's feed. */
  readonly dataSchema: string;
  readonly example: { readonly created_at: string; readonly data: object };
}

export const webhookTag = {
  name: 'Webhooks',
  description: 'What your endpoints are sent, in the form of Standard Webhooks.',
};

const headers = z.object({
  'webhook-id': z.string().meta({
    description: 'Id of the event, the same whenever its message is sent again.',
    example: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
  'webhook-timestamp': z.string().meta({
    description: 'When this attempt was made, in seconds since 1970.',
    example: '1793698200',
  }),
  'webhook-signature': z.string().meta({
    description:
      'HMAC-SHA256 over id, timestamp and body with the secret of the endpoint: `v1,` and base64; of two secrets during a rotation, both, with a space between.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
});

const responses = {
  '2XX': { description: 'Any status of success takes the message.' },
  '410': { description: 'The endpoint wants no more messages, and is disabled.' },
  default: { description: 'The message is sent again later, ten times within four days.' },
};

const example = { company_id: 'co_harbor', data_version: '48' };
const source = { provider: 'quickbooks', account_name: 'Harbor Robotics Inc' };
const sources = { sources: [source], source_count: 1, ...source };

const dataEvents: Record<
  DataEventType,
  { readonly summary: string; readonly schema: string; readonly example: object }
> = {
  'company_data.updated': {
    summary: 'The data of a company has changed.',
    schema: 'DataUpdateData',
    example: { ...example, metric_keys: ['arr'], has_sources: true, has_accounts: false },
  },
  'source.failed': {
    summary: 'Sources of a company have failed.',
    schema: 'SourceEventData',
    example: { ...example, ...sources },
  },
  'source.recovered': {
    summary: 'Sources of a company that had failed or were stale deliver again.',
    schema: 'SourceEventData',
    example: { ...example, ...sources },
  },
  'source.stale': {
    summary: 'Sources of a company were not synced when they should have been.',
    schema: 'SourceEventData',
    example: { ...example, ...sources },
  },
};

/** Describes one message per event type, and the test message. */
export function describeWebhooks({
  dataSchema,
  example: { created_at: timestamp, data },
}: DescribedWebhooks): Record<string, ZodOpenApiPathItemObject> {
  const dataOfEvent = { $ref: `#/components/schemas/${dataSchema}` };
  return Object.fromEntries([
    ...accessEventTypes.map((type) => [
      type,
      describe(type, 'A change of an access request.', dataOfEvent, { type, timestamp, data }),
    ]),
    ...Object.entries(dataEvents).map(([type, { summary, schema, example: told }]) => [
      type,
      describe(
        type,
        summary,
        { $ref: `#/components/schemas/${schema}` },
        { type, timestamp, data: told },
      ),
    ]),
    [
      'webhook.test',
      describe(
        'webhook.test',
        'Somebody tests the endpoint.',
        { type: 'object' as const },
        { type: 'webhook.test', timestamp, data: {} },
      ),
    ],
  ]);
}

/** Written by hand, because a generated request schema would forbid unknown fields. */
function describe(
  type: string,
  summary: string,
  data: { readonly $ref: string } | { readonly type: 'object' },
  example: object,
): ZodOpenApiPathItemObject {
  const schema = {
    type: 'object' as const,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string' as const, const: type },
      timestamp: {
        type: 'string' as const,
        format: 'date-time',
        description: 'When it happened.',
      },
      data,
    },
  };
  const name = type.replaceAll(/[._]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    post: {
      operationId: `on${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      tags: [webhookTag.name],
      summary,
      description:
        'Verify the signature over the body exactly as it came, see [webhooks](/docs/webhooks).',
      security: [],
      requestParams: { header: headers },
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses,
    },
  };
}
