import { z } from 'zod';
import { type InvestorUseCases, listOwnRecordsInput, type OwnRecord } from '#core';
import { accessRecordResource } from '#http';
import {
  presentRecordWith,
  recordExampleWith,
  recordPeriod,
  recordSchemaWith,
} from '../access-record.ts';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema, presentPage } from '../list.ts';
import { exampleCursor, withExample } from '../schemas.ts';

const { company } = accessRecordResource.shape;
const recordSchema = recordSchemaWith({ company });

const presentRecord = ({ record, company, ...reader }: OwnRecord): z.output<typeof recordSchema> =>
  presentRecordWith(record, reader, { company });

const example: z.output<typeof recordSchema> = recordExampleWith(
  { company: { id: 'co_harbor', name: 'Harbor Robotics' } },
  exampleIds.granted,
);

const listUrl = '/v1/access-records';
const { companyId, limit, cursor } = listOwnRecordsInput.shape;

export const accessRecordEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/access-records',
    id: 'listAccessRecords',
    tag: 'Access records',
    summary: 'List the reads by your keys and people',
    description:
      'Lists every read by your investor’s keys and people, including refused reads, newest first. Leaves out reads that need a scope which this key lacks. If you follow `next_cursor`, you get each record exactly once.',
    isAddition: true,
    query: z.object({
      companyId: withExample(companyId, 'co_harbor'),
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
      const { items, nextCursor } = await useCases.listOwnRecords(caller, input);
      return { status: 200, body: presentPage(items.map(presentRecord), listUrl, nextCursor) };
    },
  }),
];
