import { z } from 'zod';
import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Page, readCursor } from '../../model/cursor.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { instantTextInput, pageInput, parseInput } from '../../model/input.ts';
import type { RecordNames, RecordReader } from '../../ports/access-records.ts';
import type { Ports } from '../../ports/index.ts';
import { listAccessRecords } from './list-access-records.ts';

export const listOwnRecordsInput = pageInput.extend({
  companyId: z.string().nullish().meta({ description: 'Only reads of this company.' }),
  since: instantTextInput.nullish().meta({
    description: 'Only from this instant on, included; RFC 3339.',
    example: '2026-01-01T00:00:00Z',
  }),
  until: instantTextInput.nullish().meta({
    description: 'Only up to this instant, included; RFC 3339.',
    example: '2036-12-31T23:59:59Z',
  }),
});

/** A record as the investor sees it whose key or person asked. */
export interface OwnRecord extends RecordReader {
  readonly record: AccessRecord;
  /** Null for the refusal of a company that is not in the portfolio: whether there is such a company is not told. */
  readonly company: { readonly id: string; readonly name: string } | null;
}

/**
 * A page of what `listAccessRecords` has, with names.
 *
 * @throws InputError, and ArchiveUnavailable when the page begins among archived records that cannot be read
 */
export const listOwnRecords = (ports: Ports) => {
  const list = listAccessRecords(ports);
  return async (
    caller: InvestorCaller,
    input: z.input<typeof listOwnRecordsInput> = {},
  ): Promise<Page<OwnRecord>> => {
    const { limit, cursor, ...filter } = parseInput(listOwnRecordsInput, input);
    // What is wrong with it is told under the name that it has here.
    readCursor(cursor);
    const { edges, hasNextPage } = await list(caller, {
      ...filter,
      first: limit,
      after: cursor,
    });
    const records = edges.map(({ record }) => record);
    const names = await ports.accessRecords.nameOfInvestor(caller.investorId, records);
    return {
      items: records.map((record, index) => present(record, names[index])),
      nextCursor: hasNextPage ? (edges.at(-1)?.cursor ?? null) : null,
    };
  };
};

function present(record: AccessRecord, names: RecordNames | undefined): OwnRecord {
  const { keyHint = null, contactEmail = null, company = null } = names ?? {};
  const isShown = record.outcome === 'allowed' || company?.isInPortfolio === true;
  return {
    record,
    keyHint,
    contactEmail,
    company: company !== null && isShown ? { id: company.id, name: company.name } : null,
  };
}
