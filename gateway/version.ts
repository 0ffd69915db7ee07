import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

export function readVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) return 'unknown';
  const { version = 'unknown' } = JSON.parse(readFileSync(path, 'utf8')) as { version?: string };
  return version;
}
