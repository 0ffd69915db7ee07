import { listOwnRecordsInput } from '#core';
import { presentOwnRecord } from '#http';
import { tool } from './tool.ts';

export const accessRecordTools = [
  tool({
    name: 'list_access_records',
    title: 'List access records',
    description:
      'Lists a page of the reads by the investor’s keys, including refused reads, newest first. Leaves out reads that need a scope which this key lacks. Pass nextCursor as cursor to get the next page.',
    effect: 'reads',
    input: listOwnRecordsInput,
    async call({ useCases, caller }, input) {
      const { items, nextCursor } = await useCases.listOwnRecords(caller, input);
      return { records: items.map(presentOwnRecord), nextCursor };
    },
  }),
];
