import { sql } from 'kysely';

/**
 * The row scope: the companies and investors whose rows a statement can see and write. The tables' policies enforce the
 * scope (decision record 0016). If one of the two lists is absent, only the other list is checked. Without a scope, no
 * row is visible.
 */
export interface RowScope {
  readonly companies?: readonly string[];
  readonly investors?: readonly string[];
}

export const rowScopeOf = (
  owner: { readonly companyId: string } | { readonly investorId: string },
): RowScope =>
  'companyId' in owner ? { companies: [owner.companyId] } : { investors: [owner.investorId] };

export type TransactionSettings = Readonly<Record<string, string>>;

export function settingsOf({ companies, investors }: RowScope): TransactionSettings {
  return {
    ...(companies && { 'portfolio_access.companies': arrayOf(companies) }),
    ...(investors && { 'portfolio_access.investors': arrayOf(investors) }),
  };
}

/** Lets the owner of the tables see all rows. For other roles, `portfolio_access.everyone` has no effect. */
export const allRowsSettings: TransactionSettings = { 'portfolio_access.everyone': 'on' };

/** Returns a statement that applies the settings until the transaction ends. */
export const applySettings = (settings: TransactionSettings) => sql<unknown>`
  select ${sql.join(
    Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`),
  )}`;

/** Quotes each ID, so that a special character can't split an ID in two. */
function arrayOf(ids: readonly string[]): string {
  const quoted = [...new Set(ids)].map((id) => `"${id.replaceAll(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}
