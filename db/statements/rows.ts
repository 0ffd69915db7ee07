import {
  type CompanyScope,
  type Decimal,
  type KeyQuestion,
  type Owner,
  parseDecimal,
  type Scope,
  type Whose,
} from '#core';
import { rowScopeOf } from '../connections/row-scope.ts';
import { type Store, type Stores, sql } from '../connections/store.ts';

/** PostgreSQL keeps the scale that was written (`1.50`); the core's form is the shortest. */
export function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === null) throw new Error(`the database holds an amount beyond all bounds: ${text}`);
  return decimal;
}

/**
 * Scopes from the text of an array, `{metrics:read,sources:read}`. Callers share the lists, because the hot statements
 * bring thousands of them and there are few combinations.
 */
export function toScopes<S extends Scope | CompanyScope>(text: string): readonly S[] {
  const scopes = scopeLists.getOrInsertComputed(text, () =>
    Object.freeze(text === '{}' ? [] : text.slice(1, -1).split(',')),
  );
  return scopes as readonly S[];
}

const scopeLists = new Map<string, readonly string[]>();

/** The ids of all owners that are suspended, read once per statement. */
export const suspended = {
  company: sql`(select array(select id from company where suspended_at is not null))::text[]`,
  investor: sql`(select array(select id from investor where suspended_at is not null))::text[]`,
};

/** The table of the owners of each kind of key. */
export const keyOwner = { api_key: 'investor', company_key: 'company' } as const;

type KeyTable = keyof typeof keyOwner;

const ownerIdOf = (table: KeyTable, alias: string) => sql.ref(`${alias}.${keyOwner[table]}_id`);

/** When a key was revoked. The keys of a suspended owner count as revoked until the owner is resumed. */
export const endedAt = (table: KeyTable, alias: string = table) => sql`
  case when ${ownerIdOf(table, alias)} = any(${suspended[keyOwner[table]]}) then now()
    else ${sql.ref(alias)}.revoked_at end`;

/** The condition under which the key of a row works. The core decides whether its caller may go on. */
export const worksAt = (now: Date, table: KeyTable) => sql`
  revoked_at is null and (expires_at is null or expires_at > ${now})
  and ${ownerIdOf(table, table)} <> all(${suspended[keyOwner[table]]})`;

/**
 * The condition under which a key works when the last question of a batch is asked. The statement leaves out a key that
 * has ended or whose owner is suspended, so that its row costs no time that would tell it from an unknown credential.
 */
export const worksWhenAsked = (questions: readonly KeyQuestion[], table: KeyTable) =>
  worksAt((questions.at(-1) as KeyQuestion).now, table);

/** The condition under which the owner of the row `contact` isn't suspended. */
export const isActiveContact = sql`
  (contact.company_id = any(${suspended.company})) is not true
  and (contact.investor_id = any(${suspended.investor})) is not true`;

/** The rows that answer each of so many questions; `position` is the number of a row's question, counted from 1. */
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
 * A parameter for a typed array, as PostgreSQL writes one: `{"a",null}`. JSON without a backslash is the same but for
 * its brackets; other values are left to the driver, which is three times as slow (docs/decisions/0032).
 */
export function toArray(values: readonly (string | number | null)[]): unknown {
  const json = JSON.stringify(values);
  return json.includes('\\') ? values : `{${json.slice(1, -1)}}`;
}

/** The owner of a row that is of a company or of an investor. */
export const toOwner = ({
  companyId,
  investorId,
}: {
  readonly companyId: string | null;
  readonly investorId: string | null;
}): Owner => (companyId === null ? { investorId: investorId ?? '' } : { companyId });

/** The columns of an owner. */
export const ownerColumns = (owner: Owner) => ({ companyId: null, investorId: null, ...owner });

/** Where what is the owner's is read; null: anybody's. */
export const storeOf = ({ scopes, requests }: Stores, owner: Whose): Store =>
  owner === null ? requests : scopes.requests.scoped(rowScopeOf(owner));

/** The condition under which a row is the owner's; null: anybody's. */
export function isOf(owner: Whose) {
  if (owner === null) return sql<boolean>`true`;
  return 'companyId' in owner
    ? sql<boolean>`company_id = ${owner.companyId}`
    : sql<boolean>`investor_id = ${owner.investorId}`;
}

/** So that what an owner has of its own is changed by one transaction after the other; nothing else waits for this lock. */
export const lockOwner = (inside: Store, owner: Owner): Promise<void> =>
  lockRow(inside, owner, 'no key update');

/** Waits for all changes of the owner that have checked their credential, and holds up the checks of others. */
export const lockOutOwner = (inside: Store, owner: Owner): Promise<void> =>
  lockRow(inside, owner, 'update');

async function lockRow(inside: Store, owner: Owner, strength: 'update' | 'no key update') {
  const [table, id] =
    'companyId' in owner ? ['company', owner.companyId] : ['investor', owner.investorId];
  await inside.run(sql`select from ${sql.table(table)} where id = ${id} for ${sql.raw(strength)}`);
}
