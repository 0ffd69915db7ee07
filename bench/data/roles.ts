import { spawnSync } from 'node:child_process';
import { plainEnvironment } from '../settings.ts';

/**
 * Creates the least-privilege roles with the command line of a checkout. Returns the database URL for that checkout's
 * service. Returns null if the checkout is too old for these roles.
 */
export function makeRoles(checkout: string, databaseUrl: string): string | null {
  const url = new URL(databaseUrl);
  const names = roleNames(url.pathname.slice(1));
  const { status, stderr, error } = spawnSync(
    process.execPath,
    ['cli/main.ts', 'roles', '--apply', ...names.flatMap(([kind, name]) => [`--${kind}`, name])],
    { cwd: checkout, env: { ...plainEnvironment, DATABASE_URL: databaseUrl }, encoding: 'utf8' },
  );
  if (error !== undefined) throw error;
  if (status !== 0) {
    if (/^error: unknown (command|option)/m.test(stderr)) return null;
    throw new Error(`the roles of least privilege could not be made:\n${stderr}`);
  }
  url.username = `${url.pathname.slice(1)}_service`;
  return url.href;
}

/** Role names contain the database's name, because PostgreSQL's roles belong to the whole server. */
const roleNames = (database: string) =>
  ['service', 'background', 'operator'].map((kind) => [kind, `${database}_${kind}`] as const);

/** Returns the SQL that drops the roles. Run this SQL after dropping the database. */
export const dropRoles = (database: string) =>
  roleNames(database)
    .map(([, name]) => `drop role if exists ${name};`)
    .join('\n');
