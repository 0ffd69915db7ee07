import { execFile } from 'node:child_process';
import {
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

export const repository = resolve(import.meta.dirname, '../..');

/** The files that a package needs to be built and packed, besides node_modules. */
const sources = [
  'core',
  'http',
  'trpc-adapter',
  'client',
  'verify',
  '.ci',
  'package.json',
  'tsconfig.json',
  'LICENSE',
];

/** An empty project in another folder, in which npm has installed one of our packages. */
export interface Consumer {
  readonly folder: string;
  readonly tarball: string;
  readonly packages: readonly string[];
  readonly bytes: number;
  /** The `node` of the project's scripts, before and after the installation. */
  readonly nodes: readonly [string, string];
  /** The error of npm pack if the dependencies of the checkout aren't installed. */
  readonly refusal: string;
  remove(): Promise<void>;
}

/** Packs `packed`, and also `dependencies` from node_modules, so that npm needs no registry. */
export async function createConsumer(
  packed: 'client' | 'verify',
  dependencies: readonly string[] = [],
): Promise<Consumer> {
  const place = await mkdtemp(join(tmpdir(), 'package-'));
  const folder = join(place, 'consumer');
  await mkdir(folder);
  const manifest = { type: 'module', private: true, scripts: { node: 'node -p process.execPath' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const whichNode = async () => (await npm(folder, 'run', '-s', 'node')).stdout.trim();

  const before = whichNode();
  const checkout = await copySources(place);
  const refusal = await npm(checkout, 'pack', `./${packed}`).then(
    () => 'it was packed',
    ({ stderr }: { stderr: string }) => stderr,
  );
  await symlink(join(repository, 'node_modules'), join(checkout, 'node_modules'));
  await npm(checkout, 'pack', `./${packed}`, '--pack-destination', place);
  for (const name of dependencies) {
    await npm(place, 'pack', join(repository, 'node_modules', name), '--ignore-scripts');
  }
  const files = await readdir(place);
  const tarballs = files.filter((file) => file.endsWith('.tgz')).map((file) => join(place, file));
  if (tarballs.length === 0) throw new Error('npm packed nothing');
  const nodeBefore = await before;
  const patience = '--fetch-timeout=60000';
  await npm(folder, 'install', ...tarballs, '--no-audit', '--no-fund', patience);

  const modules = join(folder, 'node_modules');
  const installed = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'));
  return {
    folder,
    tarball: tarballs.find((file) => file.includes('portfolio-access-')) ?? '',
    packages: Object.keys(installed.packages),
    bytes: await sizeOf(modules),
    nodes: [nodeBefore, await whichNode()],
    refusal,
    remove: () => rm(place, { recursive: true, force: true }),
  };
}

/** Without built files, npm pack must build them. */
async function copySources(place: string): Promise<string> {
  const checkout = join(place, 'checkout');
  const built = ['client', 'verify'].flatMap((name) => [`${name}/dist`, `${name}/LICENSE`]);
  const filter = (source: string) => !built.includes(relative(repository, source));
  for (const name of sources)
    await cp(join(repository, name), join(checkout, name), { recursive: true, filter });
  return checkout;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = names.map(async (name) => (await lstat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function npm(cwd: string, ...parameters: string[]) {
  // Removes what an outer npm sets for its scripts, including the path to its Node.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package_|lifecycle_|config_local_prefix)|^INIT_CWD$/.test(name),
  );
  const folders = (process.env.PATH ?? '').split(delimiter);
  const outside = folders.filter((path) => !path.startsWith(repository));
  const env = { ...Object.fromEntries(kept), PATH: outside.join(delimiter) };
  return promisify(execFile)('npm', parameters, { cwd, env, timeout: 240_000 });
}
