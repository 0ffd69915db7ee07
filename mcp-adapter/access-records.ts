import { z } from 'zod';
import { grantableScopes, listOwnRecordsInput, protocols, resources } from '#core';
import { presentOwnRecord } from '#http';
import { instant } from './schemas.ts';
import { tool } from './tool.ts';

const record = z.object({
  id: z.string(),
  occurredAt: instant,
  requestId: z.string().meta({ description: 'The Svc-Request-Id of the read.' }),
  protocol: z.enum(protocols),
  company: z.object({ id: z.string(), name: z.string() }).nullable().meta({
    description: 'Null if the read was refused because the company isn’t in the portfolio.',
  }),
  keyHint: z.string().nullable().meta({ description: 'Null if a person at the desk read.' }),
  contact: z
    .object({ id: z.string(), email: z.string().nullable() })
    .nullable()
    .meta({ description: 'The person at the desk who read.' }),
  scope: z.enum(grantableScopes),
  resource: z.enum(resources),
  metricKey: z.string().nullable(),
  grantId: z.string().nullable().meta({ description: 'The access request that allowed the read.' }),
  outcome: z.string().meta({ description: 'allowed, or the code of the refusal.' }),
});

export const accessRecordTools = [
  tool({
    name: 'list_access_records',
    title: 'List access records',
    description:
      'Lists a page of the reads and refusals by the investor’s keys, newest first. Leaves out reads whose scope this key lacks. Pass nextCursor as cursor to get the next page.',
    effect: 'reads',
    input: listOwnRecordsInput,
    output: z.object({ records: z.array(record), nextCursor: z.string().nullable() }),
    async call({ useCases, caller }, input) {
      const { items, nextCursor } = await useCases.listOwnRecords(caller, input);
      return { records: items.map(presentOwnRecord), nextCursor };
    },
  }),
];
