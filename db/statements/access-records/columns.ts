import type { AccessRecord } from '#core';
import { snakeCase, sql } from '../../connections/store.ts';

export const types = {
  id: 'text',
  occurredAt: 'timestamptz',
  requestId: 'text',
  protocol: 'text',
  keyId: 'text',
  contactId: 'text',
  investorId: 'text',
  companyId: 'text',
  scope: 'text',
  resource: 'text',
  metricKey: 'text',
  grantId: 'text',
  outcome: 'text',
  count: 'integer',
} as const satisfies Record<keyof AccessRecord, string>;

export const fields = Object.keys(types) as (keyof AccessRecord)[];

export const selectedRecord = sql.raw(
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(', '),
);

/** The index contains only a hash of the ID. So the condition compares the hash to use the index, and then the ID. */
export const isOfCompany = (companyId: string) =>
  sql`hashtext(company_id) = hashtext(${companyId}) and company_id = ${companyId}`;

export const isOfInvestor = (investorId: string) =>
  sql`hashtext(investor_id) = hashtext(${investorId}) and investor_id = ${investorId}`;
