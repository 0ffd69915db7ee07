import { genericPlans } from './prepared-statements.ts';
import { defaultLimits, timeLimits } from './settings.ts';
import { type Store, sql } from './store.ts';

type SessionSettings = Readonly<Record<string, string>>;

/** A pooler doesn't forward the settings that a connection sends, so the role must have these settings. */
export const settingsOfRole: SessionSettings = {
  ...timeLimits(defaultLimits.statementMilliseconds),
  ...genericPlans,
};

/** The settings for work that reads complete tables without a time limit. */
export const longWorkSettings: SessionSettings = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  plan_cache_mode: 'auto',
  enable_seqscan: 'on',
  enable_hashjoin: 'on',
  enable_mergejoin: 'on',
};

/** Returns the SQL that stores the settings with these roles. Role names must not need quotes. */
export function poolerSql(...roles: readonly string[]): string {
  const settings = roles.flatMap((role) =>
    Object.entries(settingsOfRole).map(
      ([name, value]) =>
        `  execute format('alter role ${role} in database %I set ${name} = %L', current_database(), '${value}');\n`,
    ),
  );
  return `-- The settings that sessions of these roles need behind a pooler in transaction mode.
-- Run this directly on PostgreSQL, in the database of the service, with a role that may change these roles.
-- Only new sessions have the settings, so let the pooler reconnect afterwards (PgBouncer: RECONNECT).

do $$
begin
${settings.join('')}end $$;
`;
}

/** Returns the names of the expected settings that the session lacks. A shorter time limit is accepted. */
export async function listMissingSettings(
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
