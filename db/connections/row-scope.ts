import { sql } from 'kysely';

/**
 * The companies and investors whose rows a statement can see and write, by the tables' policies (decision record 0016).
 * A missing side isn't checked. Without a scope, no row is visible.
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

/** Lets the tables' owner see all rows. No other role has a policy for this setting. */
export const everyone: TransactionSettings = { 'portfolio_access.everyone': 'on' };

/** A statement that sets the settings until the end of the transaction. */
export const applying = (settings: TransactionSettings) => sql<unknown>`
  select ${sql.join(
    Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`),
  )}`;

/** Quotes each ID, so that no character of an ID can split it. */
function arrayOf(ids: readonly string[]): string {
  const quoted = [...new Set(ids)].map((id) => `"${id.replaceAll(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}
