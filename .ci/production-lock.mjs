import { readFileSync } from 'node:fs';

/**
 * The manifest and the lock file without development dependencies: the contents of an installation. TypeScript is a
 * peer of tRPC's server for its declarations only. No code loads it.
 */
export function readProductionLock() {
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const needed = Object.entries(lock.packages).filter(
    ([path, { dev }]) => !dev && path !== 'node_modules/typescript',
  );
  lock.packages = Object.fromEntries(needed);
  delete lock.packages[''].devDependencies;
  delete lock.packages['node_modules/@trpc/server'].peerDependencies.typescript;
  return { manifest, lock };
}
