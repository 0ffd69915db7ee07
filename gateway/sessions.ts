import type { Config } from './config.ts';

/** Describes the settings that sessions lack, for the start and for `doctor`. Null if none is missing. */
export function describeSessions(
  missing: readonly string[],
  { databasePooler }: Pick<Config, 'databasePooler'>,
): { readonly message: string; readonly advice: string } | null {
  if (missing.length === 0) return null;
  const who = databasePooler === null ? 'sessions of the database' : 'sessions behind the pooler';
  const sql = 'run what portfolio-access roles --pooler prints, and let the pooler reconnect';
  return {
    message: `${who} lack settings, so statements are slow or have no time limit: ${missing.join(', ')}`,
    advice:
      databasePooler === null
        ? `if DATABASE_URL names a pooler, set DATABASE_POOLER=transaction; ${sql}`
        : sql,
  };
}
