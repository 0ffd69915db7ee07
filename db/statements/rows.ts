import type { RawBuilder } from 'kysely';
import {
  type CompanyScope,
  type Decimal,
  type KeyQuestion,
  type Owner,
  type OwnerOrOperator,
  parseDecimal,
  type Scope,
} from '#core';
import { rowScopeOf } from '../connections/row-scope.ts';
import { type StatementRunner, type Store, type Stores, sql } from '../connections/store.ts';

/** Removes trailing zeros, which PostgreSQL keeps, because the core uses the shortest form of an amount. */
export function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === null)
    throw new Error(`an amount in the database isn't a decimal number within the limits: ${text}`);
  return decimal;
}

/**
 * Parses the text of a scope array, for example `{metrics:read,sources:read}`. Equal texts get the same list, because
 * frequent statements return thousands of arrays with few combinations.
 */
export function toScopes<S extends Scope | CompanyScope>(text: string): readonly S[] {
  const scopes = scopeLists.getOrInsertComputed(text, () =>
    Object.freeze(text === '{}' ? [] : text.slice(1, -1).split(',')),
  );
  return scopes as readonly S[];
}

const scopeLists = new Map<string, readonly string[]>();

/** The IDs of suspended companies and investors. PostgreSQL reads them once per statement. */
export const suspendedIds = {
  company: sql`(select array(select id from company where suspended_at is not null))::text[]`,
  investor: sql`(select array(select id from investor where suspended_at is not null))::text[]`,
};

export const keyOwner = { api_key: 'investor', company_key: 'company' } as const;

type KeyTable = keyof typeof keyOwner;

const ownerIdOf = (table: KeyTable, alias: string) => sql.ref(`${alias}.${keyOwner[table]}_id`);

/** The time when an API key was revoked. While the key's owner is suspended, the key counts as revoked now. */
export const effectiveRevokedAt = (table: KeyTable, alias: string = table) => sql`
  case when ${ownerIdOf(table, alias)} = any(${suspendedIds[keyOwner[table]]}) then now()
    else ${sql.ref(alias)}.revoked_at end`;

export const isActiveAt = (now: Date | RawBuilder<unknown>, table: KeyTable) => sql`
  revoked_at is null and (expires_at is null or expires_at > ${now})
  and ${ownerIdOf(table, table)} <> all(${suspendedIds[keyOwner[table]]})`;

/**
 * Returns the time of the batch's last question, which is the latest time in the batch. The statement selects only keys
 * that are active at this time. So the response time doesn't reveal whether a key is unknown, revoked or expired.
 */
export const timeOfBatch = (questions: readonly KeyQuestion[]): Date =>
  (questions.at(-1) as KeyQuestion).now;

/** True if the owner of the contact isn't suspended. */
export const isActiveContact = sql`
  (contact.company_id = any(${suspendedIds.company})) is not true
  and (contact.investor_id = any(${suspendedIds.investor})) is not true`;

/** Groups rows by the question that they answer. `position` is the number of the question, starting at 1. */
export function byQuestion<Answer extends { readonly position: string }>(
  rows: readonly Answer[],
  questions: number,
): readonly (readonly Answer[])[] {
  const groups = Map.groupBy(rows, ({ position }) => Number(position));
  return Array.from({ length: questions }, (_, index) => groups.get(index + 1) ?? []);
}

export function toBytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

/**
 * Formats an array parameter like PostgreSQL, for example `{"a",null}`. JSON without a backslash differs from this
 * format only in its brackets. For other JSON, the driver formats the array, which takes three times as long
 * (docs/decisions/0010).
 */
export function toArray(values: readonly (string | number | null)[]): unknown {
  const json = JSON.stringify(values);
  return json.includes('\\') ? values : `{${json.slice(1, -1)}}`;
}

export const toOwner = ({
  companyId,
  investorId,
}: {
  readonly companyId: string | null;
  readonly investorId: string | null;
}): Owner => (companyId === null ? { investorId: investorId ?? '' } : { companyId });

export const ownerColumns = (owner: Owner) => ({ companyId: null, investorId: null, ...owner });

/** Returns the store for an owner's rows. If the owner is null, the store sees all rows. */
export const storeOf = ({ scopes, requests }: Stores, owner: OwnerOrOperator): Store =>
  owner === null ? requests : scopes.requests.scoped(rowScopeOf(owner));

/** True for the rows of the owner. If the owner is null, true for all rows. */
export function isOf(owner: OwnerOrOperator) {
  if (owner === null) return sql<boolean>`true`;
  return 'companyId' in owner
    ? sql<boolean>`company_id = ${owner.companyId}`
    : sql<boolean>`investor_id = ${owner.investorId}`;
}

/**
 * Locks the owner's row. Returns the row as it is after the wait, or null if it doesn't exist.
 * - `no key update`: only one transaction at a time changes the owner's keys, contacts or endpoints. No other work
 *   waits.
 * - `update`: waits for all running changes to the owner's data, and blocks new changes.
 * - `key share`: blocks only a suspension and an erasure of the owner.
 */
export async function lockOwner(
  inside: StatementRunner,
  owner: Owner,
  strength: 'update' | 'no key update' | 'key share' = 'no key update',
) {
  const [table, id] =
    'companyId' in owner ? ['company', owner.companyId] : ['investor', owner.investorId];
  const [locked] = await inside.run(sql<{ id: string; name: string }>`
    select id, name from ${sql.table(table)} where id = ${id} for ${sql.raw(strength)}`);
  return locked ?? null;
}

/** Yields pages until a page isn't full. `read` gets the last item of the previous page, or null. */
export async function* pagesOf<Item>(
  size: number,
  read: (last: Item | null) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  let last: Item | null = null;
  for (;;) {
    const items: Item[] = await read(last);
    if (items.length > 0) yield items;
    if (items.length < size) return;
    last = items.at(-1) ?? null;
  }
}
