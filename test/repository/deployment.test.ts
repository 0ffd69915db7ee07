import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { environmentSchema, readConfig } from '../../gateway/config.ts';
import { type Installation, installPackage } from '../support/installation.ts';
import { allPostgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';
import { withClient } from '../support/postgres-server.ts';
import { killLeftovers, startProcess, startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { findFreePort, findRedis } from '../support/redis.ts';

const repository = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(repository, path), 'utf8');
const has = (program: string) => spawnSync(program, ['--version']).status === 0;

let installation: Installation;
beforeAll(async () => {
  installation = await installPackage();
});
afterAll(async () => {
  killLeftovers();
  await installation.remove();
});

const mayDropRoot = process.getuid?.() === 0;
if (!mayDropRoot) console.warn('SKIPPED: serving as another user takes root');

test.skipIf(!mayDropRoot || !isFull)(
  'the package runs with only its own dependencies, as a user who can write only to DATA_DIR',
  async () => {
    const nobody = 65_534;
    const DATA_DIR = await mkdtemp('/var/tmp/portfolio-access-data-');
    spawnSync('chown', ['-R', `${nobody}:${nobody}`, DATA_DIR]);
    expect(existsSync(join(installation.folder, 'node_modules/vitest'))).toBe(false);
    const command = join(installation.bin, 'portfolio-access');
    const as = ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups'] as const;
    const environment = { DATA_DIR, HOME: '/nonexistent', NODE_COMPILE_CACHE: '', DEMO: 'on' };
    const service = await startServiceProcess(environment, ['setpriv', ...as, command, 'serve']);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${service.url}/docs`)).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.output()).not.toMatch(/"level":(50|60)/);
    await rm(DATA_DIR, { recursive: true });
  },
);

describe('the file compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly build?: { readonly context: string; readonly dockerfile: string };
    readonly volumes?: readonly string[];
    readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
    readonly secrets?: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly ports?: readonly string[];
  }

  interface Compose {
    readonly services: Readonly<Record<string, Service>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  }

  const load = async () => parse(await read('deploy/compose.yaml'), { merge: true }) as Compose;

  test('refers only to existing files, services and settings', async () => {
    const { services, secrets, volumes } = await load();
    const page = await read('docs/deployment.md');
    for (const service of Object.values(services)) {
      if (service.build) {
        expect(
          existsSync(join(repository, 'deploy', service.build.context, service.build.dockerfile)),
        ).toBe(true);
      }
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./'))
          expect(existsSync(join(repository, 'deploy', source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
      const { depends_on: needed = [] } = service;
      for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
        expect(Object.keys(services)).toContain(other);
      }
      for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret);
      if (service.image === 'portfolio-access') {
        for (const name of Object.keys(service.environment)) {
          expect(Object.keys(environmentSchema.shape)).toContain(name);
        }
      }
    }
    const asked = (await read('deploy/compose.yaml')).matchAll(/\$\{(\w+):\?\}/g);
    for (const [, name] of asked) expect(page).toContain(`${name}=`);
    for (const { file } of Object.values(secrets)) expect(page).toContain(file.slice(2));
  });

  test('has two processes with minimal rights, behind a proxy that knows both', async () => {
    const { services } = await load();
    const proxy = await read('deploy/Caddyfile');
    for (const name of ['access-1', 'access-2']) {
      expect(services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        environment: { DATABASE_URL: expect.stringContaining('portfolio_access_service:') },
      });
      expect(proxy).toContain(`${name}:3000`);
    }
    expect(services.migrate?.environment.DATABASE_URL).toContain('portfolio_access_owner:');
    expect(services.migrate?.secrets).toEqual([]);
    expect(services.proxy?.ports).toEqual(['80:80', '443:443']);
    const open = Object.values(services).filter(({ ports }) => ports);
    expect(open).toHaveLength(1);
  });
});

test('the Containerfile copies existing files and runs the package’s command as a separate user', async () => {
  const text = (await read('deploy/Containerfile'))
    .replaceAll(/\\\n/g, '')
    .replaceAll(/^#.*\n/gm, '');
  const steps = text
    .split('\n')
    .filter(Boolean)
    .map((line) => /^([A-Z]+) (.+)$/.exec(line));
  expect(steps).not.toContain(null);
  const instructions = steps.map((step) => [step?.[1] ?? '', step?.[2] ?? ''] as const);
  for (const [name, rest] of instructions) {
    if (name !== 'COPY') continue;
    const sources = rest
      .split(' ')
      .filter((word) => !word.startsWith('--'))
      .slice(0, -1);
    for (const source of sources) {
      const path = source.replace(/^\/build\//, '');
      if (path.startsWith('/') || path === 'dist') continue;
      expect(existsSync(join(repository, path)), source).toBe(true);
    }
  }
  const last = (name: string) => instructions.findLast(([each]) => each === name)?.[1];
  expect(last('USER')).toMatch(/^[1-9]\d*$/);
  const { bin } = JSON.parse(await read('package.json'));
  expect(JSON.parse(last('ENTRYPOINT') ?? '')).toEqual(Object.keys(bin));
  expect(text).toContain(`/app/${bin['portfolio-access']}`);
});

const analyze = has('systemd-analyze');
if (!analyze)
  console.warn('SKIPPED: the systemd unit is not verified: there is no systemd-analyze');

describe('the systemd unit', () => {
  test('starts the command of a global installation with valid settings', async () => {
    const example = await read('deploy/environment.example');
    const settings = example.split('\n').filter((line) => /^\w/.test(line));
    const pairs = settings.map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]);
    expect(() => readConfig(Object.fromEntries(pairs))).not.toThrow();
    expect(await read('deploy/portfolio-access.service')).toContain(
      '/bin/portfolio-access serve\n',
    );
  });

  test.skipIf(!analyze)(
    'is valid for systemd and restricts the service’s access to the machine',
    async () => {
      const folder = await mkdtemp('/var/tmp/portfolio-access-unit-');
      const unit = join(folder, 'portfolio-access.service');
      const text = await read('deploy/portfolio-access.service');
      await writeFile(
        unit,
        text
          .replace('/usr/local/bin/portfolio-access', join(installation.bin, 'portfolio-access'))
          .replace('User=portfolio-access', 'User=daemon'),
      );
      const run = promisify(execFile);
      const verified = await run('systemd-analyze', ['verify', '--man=no', unit]);
      expect(verified.stdout + verified.stderr).not.toContain('portfolio-access.service');
      const { stdout } = await run('systemd-analyze', [
        'security',
        '--offline=yes',
        '--no-pager',
        unit,
      ]);
      const [, exposure = '10'] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(exposure)).toBeLessThan(2.5);
      await rm(folder, { recursive: true });
    },
  );
});

const redis = await findRedis();
afterAll(() => redis?.stop());
const isPossible =
  isFull && allPostgresPrograms.length > 0 && redis !== null && has('psql') && has('curl');
if (!isPossible) {
  console.error(
    'SKIPPED: the commands of docs/production.md take FULL_TESTS, an installed PostgreSQL, Redis, psql and curl',
  );
}

test.skipIf(!isPossible).each(allPostgresPrograms)(
  'the commands in docs/production.md start a service with minimal rights, without a superuser, on %s',
  async (programs) => {
    const page = await read('docs/production.md');
    const section = page.slice(
      page.indexOf('## First start'),
      page.indexOf('## Several processes'),
    );
    const [values = '', ...blocks] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(
      ([, block = '']) => block,
    );
    const server = await startOwnPostgres({}, programs);
    await withClient(server.url, (superuser) =>
      superuser.query('create role admin login createrole createdb'),
    );
    const home = await mkdtemp('/var/tmp/portfolio-access-home-');
    // Replaces npm. Puts the built package and the packages in the lock file into PATH.
    const npm = join(home, 'npm');
    const from = join(installation.bin, 'portfolio-access');
    await writeFile(
      npm,
      `#!/bin/sh\n[ "$1 $2" = "install --global" ] && ln -s ${from} ${home}/portfolio-access\n`,
    );
    await chmod(npm, 0o755);
    await mkdir(join(home, 'etc'));
    const { host } = new URL(server.url);
    const own = values
      .replaceAll('db.internal', host)
      .replace('redis://redis.internal', redis?.url ?? '')
      .replace('/etc/portfolio-access', `${home}/etc`);
    expect(own).not.toContain('.internal');
    const script = [
      'set -e',
      own,
      ...blocks,
      'echo; echo "as $(psql "$SERVICE_URL" --tuples-only --no-align --command "select current_user")"',
      'kill %1; wait %1; echo "ended with $?"',
    ].join('\n');
    const PORT = String(await findFreePort());
    const shell = startProcess(
      { PORT, PATH: `${home}:${process.env.PATH}`, HOME: home, MIGRATE_ON_START: '', DEMO: '' },
      ['bash', '-m', '-c', script],
    );
    const { code } = await shell.exited;
    const output = shell.output();
    expect(output).toContain('"database":"ok"');
    expect(output).toMatch(/^as portfolio_access_service$/m);
    expect(output).toMatch(
      /^ok +role +portfolio_access_service has exactly the rights that the service needs$/m,
    );
    expect(output).not.toMatch(/^failed|"level":(50|60)/m);
    expect(output).toMatch(/^ended with 0$/m);
    expect(code).toBe(0);
    await server.stop();
    await rm(home, { recursive: true });
  },
);
