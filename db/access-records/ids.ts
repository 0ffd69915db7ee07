import type { AccessRecord } from '#core';
import { snakeCase, sql } from '../store.ts';

/**
 * The table keeps ids as bytes (docs/decisions/0076): the UUID of one that is a prefix and a UUID, else its characters,
 * behind a zero byte when they are sixteen. The database's `id_bytes` and `id_text` go by the same rule.
 */
export const prefixes = {
  id: 'rec',
  requestId: 'req',
  keyId: 'key',
  contactId: 'ct',
  investorId: 'inv',
  companyId: 'co',
  grantId: 'ar',
} as const satisfies Partial<Record<keyof AccessRecord, string>>;

export type IdField = keyof typeof prefixes;

export const isIdField = (field: keyof AccessRecord): field is IdField =>
  Object.hasOwn(prefixes, field);

const uuid = /^[0-9a-f]{32}$/;

/** The bytes of an id in hexadecimal digits. */
export function idBytes(field: IdField, id: string): string {
  const start = `${prefixes[field]}_`;
  const rest = id.slice(start.length);
  if (id.startsWith(start) && uuid.test(rest)) return rest;
  const bytes = Buffer.from(id).toString('hex');
  return bytes.length === 32 ? `00${bytes}` : bytes;
}

/** An id as a parameter that is compared with bytes. */
const boundId = (field: IdField, id: string) => sql`decode(${idBytes(field, id)}, 'hex')`;

/** An id of a row of the table, or of one of its partitions, as text. */
export function idText(field: IdField, table?: string) {
  const column = table === undefined ? snakeCase(field) : `${table}.${snakeCase(field)}`;
  return sql.raw(`id_text('${prefixes[field]}', ${column})`);
}

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
