import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { accessEventTypes, type DataEventType } from '#core';

export interface DescribedWebhooks {
  /** The ID of the schema of `data` in the events of this API. */
  readonly dataSchema: string;
  readonly example: { readonly created_at: string; readonly data: object };
}

export const webhookTag = {
  name: 'Webhooks',
  description: 'The messages to your endpoints, in the form of Standard Webhooks.',
};

const headers = z.object({
  'webhook-id': z.string().meta({
    description: 'ID of the event. Repeated messages have the same ID.',
    example: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
  'webhook-timestamp': z.string().meta({
    description: 'Time of this attempt, in seconds since 1970.',
    example: '1793698200',
  }),
  'webhook-signature': z.string().meta({
    description:
      'HMAC-SHA256 over ID, timestamp and body with the endpoint’s secret: `v1,` and base64. During a rotation there are two signatures, separated by a space.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
});

const responses = {
  '2XX': { description: 'Any 2xx status confirms the message.' },
  '410': { description: 'Disables the endpoint.' },
  default: { description: 'The message is sent again, up to ten times within four days.' },
};

const example = { company_id: 'co_harbor', data_version: '48' };
const source = { provider: 'quickbooks', account_name: 'Harbor Robotics Inc' };

const sourceEvent = (summary: string) => ({
  summary,
  schema: 'SourceEventData',
  example: { ...example, sources: [source], source_count: 1, ...source },
});

const dataEvents: Record<
  DataEventType,
  { readonly summary: string; readonly schema: string; readonly example: object }
> = {
  'company_data.updated': {
    summary: 'A company’s data changed.',
    schema: 'DataUpdateData',
    example: { ...example, metric_keys: ['arr'], has_sources: true, has_accounts: false },
  },
  'source.failed': sourceEvent('Sources of a company failed.'),
  'source.recovered': sourceEvent('Sources of a company recovered.'),
  'source.stale': sourceEvent('Sources of a company became stale.'),
};

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
    ...Object.entries(dataEvents).map(([type, { summary, schema, example: eventExample }]) => [
      type,
      describe(
        type,
        summary,
        { $ref: `#/components/schemas/${schema}` },
        { type, timestamp, data: eventExample },
      ),
    ]),
    [
      'webhook.test',
      describe(
        'webhook.test',
        'A test of the endpoint.',
        { type: 'object' as const },
        { type: 'webhook.test', timestamp, data: {} },
      ),
    ],
  ]);
}

/** The schema is written by hand, because a generated schema for requests would forbid unknown fields. */
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
        description: 'Time of the event.',
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
      description: 'Verify the signature over the unchanged body, see [webhooks](/docs/webhooks).',
      security: [],
      requestParams: { header: headers },
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses,
    },
  };
}
