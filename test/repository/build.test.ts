// @module-tag full
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../support/built-package.ts';
import {
  createMigratedDataDir,
  createPostgresDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { startProcess, startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';

const repository = resolve(import.meta.dirname, '../..');
const node = promisify(execFile).bind(null, process.execPath);

/** Returns null if no older Node is installed. */
function findOlderNode(): string | null {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'));
  const candidates = folders.map((path) => join(path, 'node')).filter((path) => existsSync(path));
  return (
    candidates.find((path) => {
      const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
      return Number(/^v(\d+)/.exec(stdout ?? '')?.[1]) < 26;
    }) ?? null
  );
}

const olderNode = findOlderNode();
if (olderNode === null) console.warn('SKIPPED: no Node older than 26 on this machine');

describe('the published package', () => {
  let folder: string;
  let command: string;
  let launcher: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'build-'));
    command = join(folder, 'dist/cli/main.js');
    launcher = join(folder, 'dist/cli/launch.mjs');
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    await cp(await buildPackage(), join(folder, 'dist'), { recursive: true });
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('runs without the sources and without type stripping', async () => {
    const { stdout } = await node(['--no-strip-types', command, '--help'], { cwd: folder });
    expect(stdout).toContain('portfolio-access');
  });

  it('lists its components with their digests', async () => {
    const bom = JSON.parse(await readFile(join(folder, 'dist/sbom.cdx.json'), 'utf8'));
    expect(bom.bomFormat).toBe('CycloneDX');
    const { dependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) {
      expect(bom.components).toContainEqual(
        expect.objectContaining({
          'bom-ref': `${name}@${version}`,
          hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
        }),
      );
    }
    const names = bom.components.map(({ name }: { name: string }) => name);
    expect(names).not.toContain('vitest');
  });

  it('contains the licence of each library in the bundle of the command line', async () => {
    const bom = JSON.parse(await readFile(join(folder, 'dist/sbom.cdx.json'), 'utf8'));
    const licences = await readFile(join(folder, 'dist/cli/LICENSES.txt'), 'utf8');
    const carried = [...licences.matchAll(/^(\S+) (\d+\.\d+\.\d+): \S/gm)];
    expect(carried.length).toBeGreaterThan(30);
    const parts = new Set(bom.components.map((part: { 'bom-ref': string }) => part['bom-ref']));
    for (const [, name, version] of carried) expect(parts).toContain(`${name}@${version}`);
  });

  it('creates and administers a new database', async () => {
    const isEmbedded = isFull || (await whyNoPostgres()) !== null;
    const postgres = isEmbedded ? null : await createPostgresDatabase();
    const env = {
      ...process.env,
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: postgres?.url ?? '',
    };
    const run = async (...commandLine: string[]) =>
      String((await node([command, ...commandLine], { cwd: folder, env })).stdout);
    await run('migrate');
    const create = async (what: string, name: string) =>
      JSON.parse(await run(what, 'create', '--name', name, '--env', 'live', '--json')).id;
    const investor = ['--investor', await create('investor', 'Fund')];
    const company = ['--company', await create('company', 'Ada & Co')];
    await run('portfolio', 'add', ...investor, ...company);
    await run('key', 'create', ...investor, '--scopes', 'companies:read', '--name', 'Report');
    expect(await run('key', 'list')).toContain('Report');
    expect(await run('portfolio', 'list')).toContain('Ada & Co');
    const line = JSON.stringify({ type: 'metric', companyId: company[1], key: 'revenue' });
    await writeFile(join(folder, 'lines.ndjson'), line);
    await expect(run('import', join(folder, 'lines.ndjson'))).rejects.toMatchObject({ code: 1 });
    expect(await run('roles')).toContain('grant insert');
    const doctor = await run('doctor');
    if (isEmbedded) expect(doctor).toContain('embedded');
    expect(doctor).toContain('configuration');
    await postgres?.drop();
  });

  it.skipIf(olderNode === null)(
    'runs with the Node that it contains if it is started with an older Node',
    async () => {
      const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
      const run = promisify(execFile);
      const { stdout } = await run(olderNode ?? '', [launcher, '--version'], { cwd: folder });
      expect(stdout).toContain(version);
      await expect(
        run(olderNode ?? '', [launcher, 'nonsense'], { cwd: folder }),
      ).rejects.toMatchObject({
        code: 2,
      });
    },
  );

  it.skipIf(olderNode === null)(
    'serves if it is started with an older Node, with the same signals and exit codes as npm start',
    async () => {
      const serve = [olderNode ?? '', launcher, 'serve'] as const;
      const dataDir = await createMigratedDataDir();
      const service = await startServiceProcess({ DATA_DIR: dataDir.path }, serve);
      // On a busy machine, the embedded database may exceed the time limit of the readiness check.
      await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
      expect(await startProcess({ PORT: 'eighty' }, serve).exited).toEqual({
        code: 2,
        signal: null,
      });
      await dataDir.remove();
    },
  );

  it('serves the verifier and its imports to browsers', async () => {
    const script = `
      import { fastify } from 'fastify';
      import { serveAssets } from './dist/desk/assets/index.js';
      import { loadVerifier } from './dist/desk/assets/verifier.js';
      const app = fastify();
      await app.register(serveAssets, { prefix: '/desk/assets' });
      const { address } = await loadVerifier();
      const addresses = new Set([address, '/desk/assets/receipts.js']);
      for (const address of addresses) {
        const { statusCode, body } = await app.inject(address);
        if (statusCode !== 200) throw new Error(address + ': ' + statusCode);
        for (const [, next] of body.matchAll(/ from ["']([^"']+)["']/g)) addresses.add(next);
      }
      console.log([...addresses].join(' '));`;
    const run = ['--no-strip-types', '--input-type=module', '--eval', script];
    const { stdout, stderr } = await node(run, { cwd: folder });
    expect(stderr).toBe('');
    expect(stdout).toContain('/desk/assets/verify/receipt.js?');
    expect(stdout).toContain('/desk/assets/jose/jws/compact/verify.js?');
  });

  it('contains the documentation', async () => {
    const script = `
      import { fastify } from 'fastify';
      import { serveDocs } from './dist/gateway/docs/index.js';
      const app = fastify();
      await app.register(serveDocs, { publicUrl: () => 'https://access.example' });
      for (const path of ['/docs/', '/docs/keys', '/docs/keys.md', '/docs/changelog', '/docs/skill.md', '/docs/reference'])
        console.log(path, (await app.inject(path)).statusCode);`;
    const run = ['--no-strip-types', '--input-type=module', '--eval', script];
    const { stdout } = await node(run, { cwd: folder });
    expect(String(stdout).match(/ 200\n/g)).toHaveLength(6);
  });

  it('has its command at the path in package.json', async () => {
    const { bin } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    expect(join(folder, bin['portfolio-access'])).toBe(launcher);
  });
});
