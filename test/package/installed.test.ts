// @module-tag full
import { execFile } from 'node:child_process';
import { existsSync, globSync, lstatSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServiceProcess } from '../support/processes.ts';

const repository = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Component {
  readonly 'bom-ref': string;
}

let place: string;
let said: string;
let released: string;
const inPlace = (...path: string[]) => join(place, ...path);
const inPackage = (...path: string[]) =>
  inPlace('installed/node_modules/portfolio-access', ...path);
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version: last } = read(join(repository, 'package.json'));
const version = last.replace(/^\d+/, (major: string) => `${Number(major) + 1}`);

/** Without npm's settings for this repository, the machine's own Node and npm are used. */
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^npm_(package_|lifecycle_|config_local_prefix|config_loglevel)|^INIT_CWD$/.test(name),
    ),
  ),
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
};

const inCheckout = (command: string, ...words: string[]) =>
  run(command, words, {
    cwd: inPlace('checkout'),
    env: {
      ...process.env,
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'Releaser'],
          [`GIT_${who}_EMAIL`, 'releaser@example.com'],
        ]),
      ),
    },
  });
const release = (...words: string[]) => inCheckout(process.execPath, '.ci/release.mjs', ...words);

/** Copies the repository, links the installed packages and commits the copy. */
async function checkOut() {
  const left =
    /^\/(\.git|coverage|reports|release|\.stryker-tmp|\.data)(\/|$)|\/node_modules(\/|$)/;
  await cp(repository, inPlace('checkout'), {
    recursive: true,
    filter: (path) => !left.test(path.slice(repository.length)),
  });
  await symlink(join(repository, 'node_modules'), inPlace('checkout/node_modules'));
  await inCheckout('git', 'init', '--quiet', '--initial-branch=main');
  await writeFile(inPlace('checkout/.git/info/exclude'), 'node_modules\n');
  const changelog = inPlace('checkout/CHANGELOG.md');
  await writeFile(
    changelog,
    `# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [${last}] - 2026-01-02\n`,
  );
  await inCheckout('git', 'add', '.');
  await inCheckout('git', 'commit', '--quiet', '--message', 'All');
}

beforeAll(async () => {
  // The usual folder for temporary files is in memory, but this folder must be on disk.
  place = await mkdtemp('/var/tmp/portfolio-access-installed-');
  await checkOut();
  ({ stdout: released } = await release(version));
  await mkdir(inPlace('installed'));
  const tarball = inPlace(`checkout/release/portfolio-access-${version}.tgz`);
  // Retries a stalled download after one minute. npm's default is five minutes.
  const { stdout, stderr } = await run('npm', ['install', tarball, '--fetch-timeout=60000'], {
    cwd: inPlace('installed'),
    env: environment,
  });
  said = `${stdout}${stderr}`;
}, 1_800_000);
afterAll(() => rm(place, { recursive: true, force: true }));

describe('the packed tarball in an empty folder', () => {
  it('contains exactly the package versions in the list of components', () => {
    const { components } = read(inPackage('dist/sbom.cdx.json'));
    const listed: string[] = components.map((part: Component) => part['bom-ref']);
    const manifests = globSync(`${place}/installed/**/node_modules/{@*/*,[!@.]*}/package.json`);
    const installed = manifests.map(read).map(({ name, version }) => `${name}@${version}`);
    expect(installed.length).toBeGreaterThan(150);
    const own = `portfolio-access@${version}`;
    expect(installed.filter((each) => each !== own && !listed.includes(each))).toEqual([]);
    const forOneMachine = /^node-(bin-)?(linux|darwin)-/;
    const missing = listed.filter((each) => !installed.includes(each));
    expect(missing.filter((each) => !forOneMachine.test(each))).toEqual([]);
    expect(existsSync(inPackage('node_modules/typescript'))).toBe(false);
  });

  it('can be installed without a warning with the Node of this machine', () => {
    expect(said).toMatch(/^\s*added \d+ packages/);
    expect(said).not.toMatch(/warn|error/i);
  });

  it('takes at most 300 MB', () => {
    const files = globSync(`${place}/installed/**`);
    const bytes = files.reduce((sum, file) => sum + lstatSync(file).size, 0);
    expect(bytes).toBeGreaterThan(100_000_000);
    expect(bytes).toBeLessThan(300_000_000);
  });

  it('keeps the licence of each bundled library', () => {
    const carried = globSync(inPackage('node_modules/{@*/*,[!@.]*}/package.json'));
    const licences = (folder: string) =>
      globSync(join(folder, '{LICEN[CS]E,licen[cs]e,README,readme}*'));
    const source = (folder: string) => join(repository, folder.slice(inPackage().length));
    const folders = carried.map((path) => path.slice(0, -'/package.json'.length));
    expect(folders.length).toBeGreaterThan(100);
    for (const folder of folders) {
      expect(licences(folder).length, folder).toBe(licences(source(folder)).length);
    }
  });

  it('runs the service', async () => {
    const DATA_DIR = inPlace('data');
    const command = inPlace('installed/node_modules/.bin/portfolio-access');
    const env = { DATA_DIR, DEMO: 'on', NODE_COMPILE_CACHE: '', PATH: environment.PATH };
    const service = await startServiceProcess(env, [command, 'serve']);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
    const key = (await service.waitFor(/^ +svc_sk_test_\w+$/)).trim();
    const ask = (path: string) =>
      fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    for (const path of [
      '/v1/companies',
      '/v1/openapi.json',
      '/docs',
      '/graphql',
      '/desk/sign-in',
    ]) {
      const { status } = await ask(path);
      expect(status, path).toBeLessThan(path === '/graphql' ? 500 : 400);
    }
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.output()).not.toMatch(/"level":(50|60)/);
  });
});

describe('a release', () => {
  it('is one commit with a tag, and its script prints the command that publishes it', async () => {
    expect(released).toContain(`git push --atomic origin HEAD v${version}`);
    const { stdout: commits } = await inCheckout('git', 'log', '--format=%s%d');
    expect(commits.trim().split('\n')).toEqual([
      `Release ${version} (HEAD -> main, tag: v${version})`,
      'All',
    ]);
    expect((await inCheckout('git', 'status', '--porcelain')).stdout).toBe('');
    const { stdout: changed } = await inCheckout('git', 'show', '--format=', '--name-only');
    expect(changed.split('\n')).toEqual(expect.arrayContaining(['CHANGELOG.md', 'package.json']));
  });

  it('has a list of digests', async () => {
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: inPlace('checkout/release'),
    });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/: OK$/, ''))
        .toSorted(),
    ).toEqual([
      `portfolio-access-${version}.tgz`,
      `portfolio-access-client-${version}.tgz`,
      `portfolio-access-verify-${version}.tgz`,
      'sbom.cdx.json',
    ]);
  });

  it('can’t be packed with npm pack in a checkout, and the error contains the right command', async () => {
    await expect(run('npm', ['pack'], { cwd: repository, env: environment })).rejects.toMatchObject(
      {
        stderr: expect.stringContaining('npm run pack'),
      },
    );
  });

  it('is packed with npm run pack, which first runs the check of the release', async () => {
    const asked = run('npm', ['run', 'prepack'], { cwd: repository, env: environment });
    await expect(asked).resolves.toBeDefined();
  });

  it('changes nothing if the tag already exists, if changes aren’t committed or if packing fails', async () => {
    await expect(release(version)).rejects.toMatchObject({
      stderr: `there is a tag v${version} already\n`,
    });
    const next = version.replace(/\d+$/, (patch: string) => `${Number(patch) + 1}`);
    await writeFile(
      inPlace('checkout/CHANGELOG.md'),
      '# Changelog\n\n## [Unreleased]\n\n- Newer.\n',
    );
    await expect(release(next)).rejects.toMatchObject({
      stderr: 'there are changes that are not committed\n',
    });
    await rm(inPlace('checkout/verify/index.ts'));
    await inCheckout('git', 'add', '.');
    await inCheckout('git', 'commit', '--quiet', '--message', 'Broken');
    const { stdout: head } = await inCheckout('git', 'rev-parse', 'HEAD');
    await expect(release(next)).rejects.toMatchObject({
      stderr: expect.stringContaining('nothing is released'),
    });
    expect((await inCheckout('git', 'rev-parse', 'HEAD')).stdout).toBe(head);
    expect((await inCheckout('git', 'status', '--porcelain')).stdout).toBe('');
    expect((await inCheckout('git', 'tag')).stdout).toBe(`v${version}\n`);
  });
});
