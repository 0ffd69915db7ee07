import type { Sessions } from '#db';
import type { Config } from './config.ts';

/** What is said, at the start and by doctor, of sessions that are not as the service needs them; null when they are. */
export function describeSessions(
  { isPooled, missing }: Sessions,
  { databasePooler }: Pick<Config, 'databasePooler'>,
): { readonly message: string; readonly advice: string } | null {
  if (missing.length === 0) return null;
  const who = isPooled ? 'sessions behind the pooler' : 'sessions of the database';
  const sql = 'run what portfolio-access roles --pooler prints, and let the pooler connect anew';
  return {
    message: `${who} lack settings, so statements are slow or have no time limit: ${missing.join(', ')}`,
    advice: databasePooler === null ? `set DATABASE_POOLER=transaction; ${sql}` : sql,
  };
}
