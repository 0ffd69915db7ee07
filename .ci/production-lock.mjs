import { readFileSync } from 'node:fs';

/** Omits development dependencies, and TypeScript, which tRPC's server needs only for type declarations. */
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
