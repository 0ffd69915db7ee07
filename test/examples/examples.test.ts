import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const examples = resolve(import.meta.dirname, '../../examples');
const names = globSync('*/', { cwd: examples });

/** The files that a person who copies an example reads: no packages, no build output, no pictures. */
const filesOf = (name: string) =>
  globSync(`${name}/**/*`, { cwd: examples, exclude: ['**/node_modules', '**/dist'] }).filter(
    (path) =>
      statSync(join(examples, path)).isFile() &&
      !/README\.md|package-lock\.json|graphql-env\.d\.ts|\.(png|db|pyc|tgz)$/.test(path),
  );

const linesOf = (path: string) => readFileSync(join(examples, path), 'utf8').split('\n').length - 1;

it('the README links each example', () => {
  const readme = readFileSync(resolve(examples, '../README.md'), 'utf8');
  expect(names.filter((name) => !readme.includes(`(examples/${name}/README.md)`))).toEqual([]);
});

describe.each(names)('examples/%s', (name) => {
  it('is short enough to be read before it is copied', () => {
    const lines = filesOf(name).reduce((sum, path) => sum + linesOf(path), 0);
    expect(lines).toBeGreaterThan(20);
    expect(lines).toBeLessThanOrEqual(640);
    expect(linesOf(`${name}/README.md`)).toBeLessThanOrEqual(12);
  });
});
