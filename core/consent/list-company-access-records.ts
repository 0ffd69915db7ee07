import { findCompany } from '../company-data/manage-companies.ts';
import { OperatorError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { AccessRecord } from './access-record.ts';

const maxReviewed = 100_000;

export interface Filter {
  readonly companyId: string;
  readonly keyId?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly limit: number;
}

/**
 * Who read a company's data or tried to, newest first, and whether there are more than were asked for.
 *
 * @throws OperatorError `invalid`, `not_found`
 */
export const listCompanyAccessRecords =
  (ports: Ports) =>
  async (filter: Filter): Promise<{ records: AccessRecord[]; hasMore: boolean }> => {
    if (filter.limit < 1 || filter.limit > maxReviewed) {
      throw new OperatorError('invalid', `a list has from 1 to ${maxReviewed} records`);
    }
    const { id: companyId } = await findCompany(ports, filter.companyId);
    const { limit } = filter;
    const found = await ports.accessRecords.listOfCompany({
      ...filter,
      companyId,
      limit: limit + 1,
    });
    return { records: found.slice(0, limit), hasMore: found.length > limit };
  };

/**
 * Removes the access records of whole months, all that ended before the instant.
 *
 * @returns the months that are gone, as `YYYY-MM`, oldest first
 * @throws OperatorError `invalid` when the present month would be among them
 */
export const dropAccessRecords =
  ({ accessRecords, clock }: Ports) =>
  async (before: Date): Promise<string[]> => {
    if (before.getTime() > clock.now().getTime()) {
      throw new OperatorError('invalid', 'only months that are over can be removed');
    }
    return accessRecords.dropMonthsBefore(before);
  };
