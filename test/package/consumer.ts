import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const repository = resolve(import.meta.dirname, '../..');

const packed = [
  ...['core', 'db', 'rest-adapter', 'graphql-adapter', 'trpc-adapter', 'gateway', '.ci'],
  ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'],
  ...['tsconfig.json', 'tsconfig.build.json', 'tsconfig.client.json'],
];

/** What the client may bring along, in types and at run time. */
export const clientPackages = ['@trpc/client', '@trpc/server', 'zod'];

/** An empty project somewhere else, with the package in it as npm packs and installs it. */
export interface Consumer {
  readonly folder: string;
  /** Null when npm installed the package; otherwise why it could not. */
  readonly notInstalled: string | null;
  remove(): Promise<void>;
}

export async function createConsumer(): Promise<Consumer> {
  const place = await mkdtemp(join(tmpdir(), 'package-'));
  const tarball = await pack(place);
  const folder = join(place, 'consumer');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  const notInstalled = await install(folder, tarball);
  if (notInstalled !== null) await unpack(folder, tarball);
  return { folder, notInstalled, remove: () => rm(place, { recursive: true, force: true }) };
}

/** Packs a copy of the repository, so that the build of the test is nobody else's. */
async function pack(place: string): Promise<string> {
  const copy = join(place, 'copy');
  for (const name of packed)
    await cp(join(repository, name), join(copy, name), { recursive: true });
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'));
  await npm(copy, 'pack', '--pack-destination', place);
  const name = (await readdir(place)).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm packed nothing');
  return join(place, name);
}

/** From the cache of npm, or from where it installs from. The Node that the package can bring is left out: it is large. */
async function install(folder: string, tarball: string): Promise<string | null> {
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  const patience = ['--fetch-retries=0', '--fetch-timeout=30000'];
  try {
    await npm(folder, 'install', tarball, '--omit=optional', ...options, ...patience);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** What npm would do, with the dependencies of this repository, and of those only what the client may use. */
async function unpack(folder: string, tarball: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await rm(modules, { recursive: true, force: true });
  const target = join(modules, 'portfolio-access');
  await mkdir(target, { recursive: true });
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  for (const name of clientPackages) {
    await cp(join(repository, 'node_modules', name), join(modules, name), { recursive: true });
  }
}

function npm(cwd: string, ...parameters: string[]) {
  // Run by npm itself, the tests would else hand on what npm knows about this repository.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package_|lifecycle_|config_local_prefix)|^INIT_CWD$/.test(name),
  );
  const env = Object.fromEntries(kept);
  return promisify(execFile)('npm', parameters, { cwd, env, timeout: 240_000 });
}
