import { z } from 'zod';
import {
  accountTypes,
  type CompanyUseCases,
  type DataPush,
  idempotencyKeyInput,
  maxPushedRecords,
  maxReasonLength,
  pushCost,
  pushRecordsInput,
} from '#core';
import { queuePush } from '#http';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { bodyRefusals } from '../errors.ts';
import { instantParameter } from '../schemas.ts';

const maxBytes = 1024 * 1024;

const companyId = z
  .string()
  .optional()
  .meta({ description: 'Your own company. Optional.', example: 'co_juniper' });
const text = z.string().max(200);
const amount = z.union([z.number(), z.string()]).meta({
  description:
    'A number, or text with a plain decimal without an exponent, such as `"1234.5678901234567890"`. Every digit is kept: at most 25 before the point and 25 after it.',
});
const displayText = (field: string) =>
  text.optional().meta({
    description: `The number of \`${field}\`, formatted for display. The text must show this number, exact or rounded. If you leave the text out, the service formats the number.`,
  });
const currency = z.string().meta({ description: 'ISO 4217 code.', example: 'USD' });

const metricSchema = z
  .object({
    type: z.literal('metric'),
    company_id: companyId,
    key: z.string().meta({ example: 'arr' }),
    label: text.optional(),
    currency: currency.nullable().optional(),
    period: z.iso.date().meta({
      description: 'From 1970-01-01 to one year from today.',
      example: '2026-10-31',
    }),
    source: z.object({
      system: text,
      method: text,
      last_synced: instantParameter,
      signature: z.string().optional().meta({
        description: 'A compact JWS by a signer that is registered for your company.',
      }),
    }),
    verification: z
      .object({
        verified: z.boolean(),
        signed: z.boolean().optional(),
        signature: z.string().optional(),
      })
      .optional(),
    revision: z.int().min(1).optional(),
    confidence: text.optional(),
    value: displayText('raw_value'),
    raw_value: amount,
    category: text.optional(),
    as_of: instantParameter.optional(),
  })
  .meta({ id: 'MetricRecord', description: 'The value of a metric in one period.' });

const sourceSchema = z
  .object({
    type: z.literal('source'),
    company_id: companyId,
    provider: text,
    status: text,
    account_name: text,
    last_synced_at: instantParameter,
    expected_every: z.iso.duration().nullable().optional().meta({
      description:
        'The expected time between two syncs, an ISO 8601 duration. If the next sync is later, the status becomes `stale`.',
      example: 'P1D',
    }),
  })
  .meta({ id: 'SourceRecord', description: 'A connected data source.' });

const accountSchema = z
  .object({
    type: z.literal('account'),
    id: z.string().max(64).optional(),
    company_id: companyId,
    provider: text,
    name: text,
    account_type: z.enum(accountTypes),
    currency,
    balance: displayText('raw_balance'),
    raw_balance: amount,
    last_four: z.string().nullable().optional(),
    last_synced_at: instantParameter,
  })
  .meta({ id: 'AccountRecord', description: 'A financial account.' });

const voidSchema = z
  .object({
    type: z.literal('void'),
    company_id: companyId,
    key: z.string().meta({ example: 'arr' }),
    period: z.iso.date(),
    reason: z.string().max(maxReasonLength).nullable().optional().meta({
      description: 'The reason for voiding the value. Shown with the revision, not signed.',
    }),
  })
  .meta({
    id: 'VoidRecord',
    description:
      'Voids the value of one period that was pushed by mistake. The period gets a new, signed revision whose `raw_value` is null. Reads leave the period out until it gets another value.',
  });

const recordsExample = [
  {
    type: 'metric',
    key: 'arr',
    currency: 'USD',
    period: '2026-10-31',
    source: { system: 'QuickBooks', method: 'api', last_synced: '2026-11-01T04:00:00.000Z' },
    verification: { verified: true },
    raw_value: 1824000.5,
  },
];

const resultSchema = z
  .object({
    object: z.literal('data_push'),
    created: z.int().meta({ description: 'Number of new values, sources and accounts.' }),
    revised: z.int().meta({
      description: 'Number of changed values, sources and accounts. Includes voided values.',
    }),
    unchanged: z.int().meta({ description: 'Number of records equal to the stored data.' }),
    data_version: z.string().meta({
      description: 'The version of your data after the push. It changes whenever the data changes.',
    }),
  })
  .meta({ id: 'DataPush', description: 'The result of a push.' });

function presentPush(push: DataPush): z.output<typeof resultSchema> {
  return {
    object: 'data_push',
    created: push.created,
    revised: push.revised,
    unchanged: push.unchanged,
    data_version: push.dataVersion,
  };
}

const { dryRun } = pushRecordsInput.shape;

export const dataEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/data',
    id: 'pushData',
    tag: 'Data',
    summary: 'Push records of your data',
    description: `Stores 1 to ${maxPushedRecords.toLocaleString('en')} records, at most 1 MiB, by the rules of an import. If several records are about the same item, the last one counts. A record that equals the stored data changes nothing. If a record is invalid, nothing is stored, and \`details\` lists the first hundred problems. The next read returns the pushed data. A push costs 1 point per 100 records, rounded up.`,
    scope: 'data:write',
    query: z.object({
      dryRun: dryRun.meta({
        description: 'If `true`, the response is the same as for a push, but nothing is stored.',
        example: true,
      }),
    }),
    headers: z.object({ idempotencyKey: idempotencyKeyInput.optional() }),
    body: z
      .object({
        records: z
          .array(
            z.discriminatedUnion('type', [metricSchema, sourceSchema, accountSchema, voidSchema]),
          )
          .min(1)
          .max(maxPushedRecords),
      })
      .meta({ id: 'DataRecords', example: { records: recordsExample } }),
    acceptedRecords: { lines: 'One record per line, without a list around the records.', maxBytes },
    responses: {
      200: {
        description: 'All records were stored.',
        schema: resultSchema,
        example: presentPush({
          created: 1,
          revised: 0,
          unchanged: 0,
          dataVersion: '1204',
          replayed: false,
        }),
      },
    },
    refusals: [...bodyRefusals, 'invalid_records', 'idempotency_key_reused'],
    async handle({ caller, charge }, input) {
      const { records } = input;
      const extra = Array.isArray(records)
        ? pushCost(Math.min(records.length, maxPushedRecords)) - 1
        : 0;
      if (extra > 0) await charge(extra);
      const push = await queuePush(caller.companyId, () => useCases.pushRecords(caller, input));
      return {
        status: 200,
        body: presentPush(push),
        headers: push.replayed ? { 'idempotent-replayed': 'true' } : {},
      };
    },
  }),
];
