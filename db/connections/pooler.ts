import { genericPlans } from './prepared-statements.ts';
import { defaultLimits, timeLimits } from './settings.ts';
import { type Store, sql } from './store.ts';

/** What the service asks of each session, as PostgreSQL writes it in pg_settings. */
type SessionSettings = Readonly<Record<string, string>>;

/**
 * Where a pooler chooses the session of each transaction, what a connection asks for when it is opened reaches none. So
 * these are settings of the role: every session has them.
 */
export const settingsOfRole: SessionSettings = {
  ...timeLimits(defaultLimits.statementMilliseconds),
  ...genericPlans,
};

/** For what may take as long as it needs, and reads whole tables: the settings of the role are not meant for it. */
export const longWorkSettings: SessionSettings = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  plan_cache_mode: 'auto',
  enable_seqscan: 'on',
  enable_hashjoin: 'on',
  enable_mergejoin: 'on',
};

/** The statements that give roles these settings, in the database in which they are run. The names must need no quotes. */
export function poolerSql(...roles: readonly string[]): string {
  const settings = roles.flatMap((role) =>
    Object.entries(settingsOfRole).map(
      ([name, value]) =>
        `  execute format('alter role ${role} in database %I set ${name} = %L', current_database(), '${value}');\n`,
    ),
  );
  return `-- What every session of these roles needs where a pooler chooses the session of each transaction.
-- New sessions have it: tell the pooler to connect anew (PgBouncer: RECONNECT).
-- Run it as one that may change them; straight on PostgreSQL, in the database of the service.

do $$
begin
${settings.join('')}end $$;
`;
}

/** Those settings that the session of a statement lacks. A time limit may be shorter than asked for. */
export async function missingSettings(
  store: Pick<Store, 'run'>,
  expected: SessionSettings,
): Promise<string[]> {
  const rows = await store.run(sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name = any(${Object.keys(expected)}::text[])`);
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  return Object.entries(expected)
    .filter(([name, value]) => !isMet(value, found.get(name)))
    .map(([name]) => name);
}

function isMet(expected: string, found: string | undefined): boolean {
  if (expected === '0' || !/^\d+$/.test(expected)) return found === expected;
  return Number(found) > 0 && Number(found) <= Number(expected);
}
