import { sql } from 'kysely';

/**
 * The companies and investors whose rows a statement sees and writes, by the policies of the tables (decision record
 * 0075). A side that is left out is not checked; without any scope no row is seen.
 */
export interface RowScope {
  readonly companies?: readonly string[];
  readonly investors?: readonly string[];
}

/** The scope of one company or of one investor. */
export const rowScopeOf = (
  owner: { readonly companyId: string } | { readonly investorId: string },
): RowScope =>
  'companyId' in owner ? { companies: [owner.companyId] } : { investors: [owner.investorId] };

/** Settings of PostgreSQL by their names. */
export type TransactionSettings = Readonly<Record<string, string>>;

/** As the policies read it. */
export function settingsOf({ companies, investors }: RowScope): TransactionSettings {
  return {
    ...(companies && { 'portfolio_access.companies': arrayOf(companies) }),
    ...(investors && { 'portfolio_access.investors': arrayOf(investors) }),
  };
}

/** The setting by which the owner of the tables works for everybody: no other role has a policy that asks for it. */
export const everyone: TransactionSettings = { 'portfolio_access.everyone': 'on' };

/** A statement that makes the settings, until the end of the transaction. */
export const applying = (settings: TransactionSettings) => sql<unknown>`
  select ${sql.join(
    Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`),
  )}`;

/** As PostgreSQL writes an array of texts. Each is quoted, so that no character of an id makes two of it. */
function arrayOf(ids: readonly string[]): string {
  const quoted = [...new Set(ids)].map((id) => `"${id.replaceAll(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}
