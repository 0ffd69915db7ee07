import { z } from 'zod';
import { type CompanyUseCases, listReceivedRecordsInput, type ReceivedRecord } from '#core';
import {
  presentRecordWith,
  recordExampleWith,
  recordPeriod,
  recordSchemaWith,
} from '../access-record.ts';
import { investorSchema } from '../access-request.ts';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema, presentPage } from '../list.ts';
import { exampleCursor, withExample } from '../schemas.ts';
import { investor } from './access-requests.ts';

const recordSchema = recordSchemaWith({ investor: investorSchema });

const presentRecord = (record: ReceivedRecord): z.output<typeof recordSchema> =>
  presentRecordWith(record, record, {
    investor: { id: record.investorId, name: record.investorName },
  });

const example: z.output<typeof recordSchema> = recordExampleWith({ investor }, exampleIds.waiting);

const listUrl = '/company/v1/access-records';
const { investorId, limit, cursor } = listReceivedRecordsInput.shape;

export const accessRecordEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/access-records',
    id: 'listAccessRecords',
    tag: 'Access records',
    summary: 'List who read your data',
    description:
      'Lists every read of your company’s data, including refused reads, newest first. If you follow `next_cursor`, you get each record exactly once.',
    query: z.object({
      investorId: withExample(investorId, exampleIds.investor),
      ...recordPeriod,
      limit,
      cursor: withExample(cursor, exampleCursor(example.id)),
    }),
    responses: {
      200: {
        description: 'A page of the records.',
        schema: pageSchema(recordSchema, 'AccessRecordPage', 'access records'),
        example: presentPage([example], listUrl, null),
      },
    },
    refusals: [],
    async handle({ caller }, input) {
      const { items, nextCursor } = await useCases.listReceivedRecords(caller, input);
      return { status: 200, body: presentPage(items.map(presentRecord), listUrl, nextCursor) };
    },
  }),
];
