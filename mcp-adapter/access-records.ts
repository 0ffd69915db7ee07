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
  company: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .meta({ description: 'Null for a refusal of what is not in the portfolio.' }),
  keyHint: z.string().nullable().meta({ description: 'Null when a person read at the desk.' }),
  contact: z
    .object({ id: z.string(), email: z.string().nullable() })
    .nullable()
    .meta({ description: 'The person who read at the desk.' }),
  scope: z.enum(grantableScopes),
  resource: z.enum(resources),
  metricKey: z.string().nullable(),
  grantId: z.string().nullable().meta({ description: 'The access request that allowed the read.' }),
  outcome: z.string().meta({ description: 'allowed, or the code of the refusal.' }),
});

export const accessRecordTools = [
  tool({
    name: 'list_access_records',
    title: 'List what was read',
    description:
      'What the keys of the investor read of companies or were refused, newest first, page by page, as far as this key has the scopes that they needed. For a further page, give nextCursor as cursor.',
    effect: 'reads',
    input: listOwnRecordsInput,
    output: z.object({ records: z.array(record), nextCursor: z.string().nullable() }),
    async call({ useCases, caller }, input) {
      const { items, nextCursor } = await useCases.listOwnRecords(caller, input);
      return { records: items.map(presentOwnRecord), nextCursor };
    },
  }),
];
