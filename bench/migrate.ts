import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from './settings.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

export function migrate(databaseUrl: string): void {
  const { status, stderr } = spawnSync(process.execPath, ['cli/main.ts', 'migrate'], {
    cwd: root,
    env: { ...plainEnvironment, DATABASE_URL: databaseUrl },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the database could not be migrated:\n${stderr}`);
}
