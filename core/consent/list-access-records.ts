import { z } from 'zod';
import { isCompanyId } from '../company-data/company.ts';
import type { Caller } from '../identity/caller.ts';
import { parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { isExpressible } from '../time.ts';
import type { AccessRecord } from './access-record.ts';

export const maxAccessRecords = 1000;

const listAccessRecordsInput = z.object(
  {
    companyId: z.string('invalid_parameter').nullish(),
    since: z.date('invalid_parameter').refine(isExpressible).nullish(),
    limit: z.int('invalid_parameter').min(1).max(maxAccessRecords),
  },
  'invalid_parameter',
);

export type ListAccessRecordsInput = z.input<typeof listAccessRecordsInput>;

/**
 * What the keys of the caller's investor read or were refused, newest first. A key without the scope of a read learns
 * nothing of it: not that it was made, nor which company it was about.
 *
 * @throws InputError
 */
export const listAccessRecords =
  ({ accessRecords }: Ports) =>
  async (
    { investorId, scopes }: Caller,
    input: ListAccessRecordsInput,
  ): Promise<AccessRecord[]> => {
    const { companyId, since, limit } = parseInput(listAccessRecordsInput, input);
    if (companyId != null && !isCompanyId(companyId)) return [];
    return accessRecords.listOfInvestor({
      investorId,
      scopes,
      companyId: companyId ?? undefined,
      since: since ?? undefined,
      limit,
    });
  };
