import { sql } from '../store.ts';
import { boundId } from './ids.ts';

/**
 * Conditions on rows of the view. The indexes hold hashes of ids, so a condition names both: the hash is found, and the
 * id is compared, as bytes.
 */
export const isOfCompany = (companyId: string) =>
  sql`hashtext(company_id) = hashtext(${companyId})
    and company_bytes = ${boundId('companyId', companyId)}`;

export const isOfInvestor = (investorId: string) =>
  sql`hashtext(investor_id) = hashtext(${investorId})
    and investor_bytes = ${boundId('investorId', investorId)}`;
