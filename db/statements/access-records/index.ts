import type { AccessRecord, AccessRecords, InvestorRecords, ReceivedRecords } from '#core';
import { type BatchLimits, batchQuestions, queueQuestions } from '../../connections/batch.ts';
import type { RefusalQueue } from '../../connections/refusal-queue.ts';
import type { Stores } from '../../connections/store.ts';
import { readInsertion } from './insertions.ts';
import { statements } from './lists.ts';
import { listDays } from './partitions.ts';
import { dropDay, readDay } from './whole-days.ts';
import { earliest, latest, listInWindows, type Window, windowsOf } from './windows.ts';

export function createAccessRecords(
  { requests, batches, longWork }: Stores,
  limits: BatchLimits,
  refusals: RefusalQueue,
): AccessRecords {
  // At most two statements of each kind run at once, so that reads of company data get connections.
  const readOfInvestor = queueQuestions(
    (question: InvestorRecords) => requests.run(statements.ofInvestor(question)),
    limits,
  );
  const readReceived = queueQuestions(
    (question: ReceivedRecords) => requests.run(statements.received(question)),
    limits,
  );
  const readCursor = queueQuestions(
    (question: Parameters<typeof statements.place>) =>
      requests.first(statements.place(...question)),
    limits,
  );
  return {
    record: batchQuestions(
      async (records: readonly AccessRecord[]) => {
        await batches.run(readInsertion(records));
        return records.map(() => undefined);
      },
      limits,
      'access_records',
    ),

    recordEventually: (refusal) => refusals.add(refusal),

    listOfInvestor: (filter) =>
      listInWindows(boundsOf(filter), filter.limit, (window, limit) =>
        readOfInvestor({ ...filter, ...window, limit }),
      ),

    async nameOfInvestor(investorId, records) {
      if (records.length === 0) return [];
      const rows = await requests.run(statements.namesOfInvestor(investorId, records));
      return rows.map(({ keyHint, contactEmail, id, ...company }) => ({
        keyHint,
        contactEmail,
        company: id === null ? null : { id, ...company },
      }));
    },

    listReceived: (filter) =>
      listInWindows(boundsOf(filter), filter.limit, (window, limit) =>
        readReceived({ ...filter, ...window, limit }),
      ),

    async findCursor(company, count) {
      let remaining = count;
      for (const window of windowsOf({ since: undefined, until: company.before?.instant })) {
        const cursor = await readCursor([{ ...company, ...window }, remaining]);
        if (cursor?.count === remaining) return { instant: cursor.instant, id: cursor.id };
        remaining -= cursor?.count ?? 0;
      }
      return null;
    },

    listOfCompany: ({ since, until, ...filter }) =>
      listInWindows({ since, until }, filter.limit, (window, limit) =>
        longWork.run(statements.ofCompany({ ...filter, ...window, limit })),
      ),

    listDays: () => listDays(longWork),
    readDay: (day) => readDay(longWork, day),
    dropDay: (day, entryOf) => dropDay(longWork, day, entryOf),
  };
}

const boundsOf = ({
  since,
  until,
  oldestCursor,
  before,
}: InvestorRecords | ReceivedRecords): Window => ({
  since: latest(since, oldestCursor?.instant),
  until: earliest(until, before?.instant),
});
