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

/** PostgreSQL keeps the written scale (`1.50`), and the core uses the shortest form. */
export function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === null) throw new Error(`the database holds an amount beyond all bounds: ${text}`);
  return decimal;
}

/**
 * Parses the text of a scope array, `{metrics:read,sources:read}`. Returns shared lists, because hot statements return
 * thousands and there are few combinations.
 */
export function toScopes<S extends Scope | CompanyScope>(text: string): readonly S[] {
  const scopes = scopeLists.getOrInsertComputed(text, () =>
    Object.freeze(text === '{}' ? [] : text.slice(1, -1).split(',')),
  );
  return scopes as readonly S[];
}

const scopeLists = new Map<string, readonly string[]>();

/** The IDs of suspended owners, read once per statement. */
export const suspended = {
  company: sql`(select array(select id from company where suspended_at is not null))::text[]`,
  investor: sql`(select array(select id from investor where suspended_at is not null))::text[]`,
};

/** The owner's table for each kind of key. */
export const keyOwner = { api_key: 'investor', company_key: 'company' } as const;

type KeyTable = keyof typeof keyOwner;

const ownerIdOf = (table: KeyTable, alias: string) => sql.ref(`${alias}.${keyOwner[table]}_id`);

/** The time at which a key was revoked. Keys of a suspended owner count as revoked until the owner is resumed. */
export const endedAt = (table: KeyTable, alias: string = table) => sql`
  case when ${ownerIdOf(table, alias)} = any(${suspended[keyOwner[table]]}) then now()
    else ${sql.ref(alias)}.revoked_at end`;

/** The condition under which a key works. The core decides about its caller. */
export const worksAt = (now: Date, table: KeyTable) => sql`
  revoked_at is null and (expires_at is null or expires_at > ${now})
  and ${ownerIdOf(table, table)} <> all(${suspended[keyOwner[table]]})`;

/**
 * The condition under which a key works at the last question of a batch. Ended keys and keys of suspended owners are
 * left out by the statement, so that the response time doesn't distinguish them from unknown credentials.
 */
export const worksAtLastQuestion = (questions: readonly KeyQuestion[], table: KeyTable) =>
  worksAt((questions.at(-1) as KeyQuestion).now, table);

/** The condition under which the owner of the row `contact` isn't suspended. */
export const isActiveContact = sql`
  (contact.company_id = any(${suspended.company})) is not true
  and (contact.investor_id = any(${suspended.investor})) is not true`;

/** Groups rows by question. `position` is the number of a row's question, counted from 1. */
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
 * Formats a typed array parameter as PostgreSQL does: `{"a",null}`. JSON without a backslash differs only in its
 * brackets. Other values go to the driver, which is three times as slow (docs/decisions/0010).
 */
export function toArray(values: readonly (string | number | null)[]): unknown {
  const json = JSON.stringify(values);
  return json.includes('\\') ? values : `{${json.slice(1, -1)}}`;
}

/** Returns the owner of a row that belongs to a company or an investor. */
export const toOwner = ({
  companyId,
  investorId,
}: {
  readonly companyId: string | null;
  readonly investorId: string | null;
}): Owner => (companyId === null ? { investorId: investorId ?? '' } : { companyId });

/** The owner columns of a row. */
export const ownerColumns = (owner: Owner) => ({ companyId: null, investorId: null, ...owner });

/** Returns the store for an owner's rows. Null: for all rows. */
export const storeOf = ({ scopes, requests }: Stores, owner: OwnerOrOperator): Store =>
  owner === null ? requests : scopes.requests.scoped(rowScopeOf(owner));

/** The condition under which a row belongs to the owner. Null: all rows. */
export function isOf(owner: OwnerOrOperator) {
  if (owner === null) return sql<boolean>`true`;
  return 'companyId' in owner
    ? sql<boolean>`company_id = ${owner.companyId}`
    : sql<boolean>`investor_id = ${owner.investorId}`;
}

/** Lets transactions change an owner's things one after the other. Nothing else waits for this lock. */
export const lockOwner = (inside: StatementRunner, owner: Owner) =>
  lockRow(inside, owner, 'no key update');

/** Waits for all running changes of the owner, and blocks new ones. */
export const lockOutOwner = (inside: StatementRunner, owner: Owner) =>
  lockRow(inside, owner, 'update');

/** Keeps out a suspension and an erasure until the transaction ends, and nothing else. */
export const lockInOwner = (inside: StatementRunner, owner: Owner) =>
  lockRow(inside, owner, 'key share');

/** Returns the row after the wait. Null if it doesn't exist. */
async function lockRow(
  inside: StatementRunner,
  owner: Owner,
  strength: 'update' | 'no key update' | 'key share',
) {
  const [table, id] =
    'companyId' in owner ? ['company', owner.companyId] : ['investor', owner.investorId];
  const [locked] = await inside.run(sql<{ id: string; name: string }>`
    select id, name from ${sql.table(table)} where id = ${id} for ${sql.raw(strength)}`);
  return locked ?? null;
}
