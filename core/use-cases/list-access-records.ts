import type { AccessRecord } from '../access-record.ts';
import type { Caller } from '../caller.ts';
import { isCompanyId } from '../company.ts';
import type { ListAccessRecordsInput } from '../input.ts';
import type { Ports } from '../ports/index.ts';

/** What the keys of the caller's investor read or were refused, newest first. */
export const listAccessRecords =
  ({ accessRecords }: Ports) =>
  async (
    { investorId }: Caller,
    { companyId, since, limit }: ListAccessRecordsInput,
  ): Promise<AccessRecord[]> => {
    if (companyId != null && !isCompanyId(companyId)) return [];
    return accessRecords.list({
      investorId,
      companyId: companyId ?? undefined,
      since: since ?? undefined,
      limit,
    });
  };
