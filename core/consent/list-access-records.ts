import { isCompanyId } from '../company-data/company.ts';
import type { Caller } from '../identity/caller.ts';
import type { ListAccessRecordsInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import type { AccessRecord } from './access-record.ts';

/**
 * What the keys of the caller's investor read or were refused, newest first. A key without the scope of a read learns
 * nothing of it: not that it was made, nor which company it was about.
 */
export const listAccessRecords =
  ({ accessRecords }: Ports) =>
  async (
    { investorId, scopes }: Caller,
    { companyId, since, limit }: ListAccessRecordsInput,
  ): Promise<AccessRecord[]> => {
    if (companyId != null && !isCompanyId(companyId)) return [];
    return accessRecords.listOfInvestor({
      investorId,
      scopes,
      companyId: companyId ?? undefined,
      since: since ?? undefined,
      limit,
    });
  };
