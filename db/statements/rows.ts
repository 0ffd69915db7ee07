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

/** PostgreSQL keeps the written scale (`1.50`). The core uses the shortest form. */
export function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === null) throw new Error(`the database holds an amount beyond all bounds: ${text}`);
  return decimal;
}

/**
 * Parses the text of a scope array, `{metrics:read,sources:read}`. Returns shared lists, because hot statements return
 * thousands and few combinations exist.
 */
export function toScopes<S extends Scope | CompanyScope>(text: string): readonly S[] {
  const scopes = scopeLists.getOrInsertComputed(text, () =>
    Object.freeze(text === '{}' ? [] : text.slice(1, -1).split(',')),
  );
  return scopes as readonly S[];
}

const scopeLists = new Map<string, readonly string[]>();

/** Read once per statement. */
export const suspended = {
  company: sql`(select array(select id from company where suspended_at is not null))::text[]`,
  investor: sql`(select array(select id from investor where suspended_at is not null))::text[]`,
};

export const keyOwner = { api_key: 'investor', company_key: 'company' } as const;

type KeyTable = keyof typeof keyOwner;

const ownerIdOf = (table: KeyTable, alias: string) => sql.ref(`${alias}.${keyOwner[table]}_id`);

/** A key of a suspended owner counts as revoked until the suspension ends. */
export const endedAt = (table: KeyTable, alias: string = table) => sql`
  case when ${ownerIdOf(table, alias)} = any(${suspended[keyOwner[table]]}) then now()
    else ${sql.ref(alias)}.revoked_at end`;

export const worksAt = (now: Date, table: KeyTable) => sql`
  revoked_at is null and (expires_at is null or expires_at > ${now})
  and ${ownerIdOf(table, table)} <> all(${suspended[keyOwner[table]]})`;

/**
 * The statement finds only working keys, so the response time doesn't distinguish ended keys from unknown ones. The
 * last question of a batch has the latest time.
 */
export const worksAtLastQuestion = (questions: readonly KeyQuestion[], table: KeyTable) =>
  worksAt((questions.at(-1) as KeyQuestion).now, table);

/** The owner of the contact isn't suspended. */
export const isActiveContact = sql`
  (contact.company_id = any(${suspended.company})) is not true
  and (contact.investor_id = any(${suspended.investor})) is not true`;

/** Groups rows by question. `position` counts the questions from 1. */
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
 * Formats a typed array parameter like PostgreSQL, `{"a",null}`. JSON without a backslash differs only in its brackets.
 * The driver formats the rest, three times as slowly (docs/decisions/0010).
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

/** Returns the store for an owner's rows, or for all rows if the owner is null. */
export const storeOf = ({ scopes, requests }: Stores, owner: OwnerOrOperator): Store =>
  owner === null ? requests : scopes.requests.scoped(rowScopeOf(owner));

/** True for the rows of the owner, or for all rows if the owner is null. */
export function isOf(owner: OwnerOrOperator) {
  if (owner === null) return sql<boolean>`true`;
  return 'companyId' in owner
    ? sql<boolean>`company_id = ${owner.companyId}`
    : sql<boolean>`investor_id = ${owner.investorId}`;
}

/**
 * Locks the owner's row. Returns the row as it is after the wait, or null if it doesn't exist.
 * - `no key update`: one transaction at a time changes the owner's keys, contacts or endpoints. Nothing else waits.
 * - `update`: waits for all running changes of the owner, and blocks new ones.
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

/** Yields pages until one isn't full. `read` gets the last item of the page before, or null. */
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
