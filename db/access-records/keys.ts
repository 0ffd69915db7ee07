import { sql } from '../store.ts';

/** The indexes hold hashes of ids, so a condition names both: the hash is found, and the id is compared. */
export const isOfCompany = (companyId: string) =>
  sql`hashtext(company_id) = hashtext(${companyId}) and company_id = ${companyId}`;

export const isOfInvestor = (investorId: string) =>
  sql`hashtext(investor_id) = hashtext(${investorId}) and investor_id = ${investorId}`;
