import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from './built-package.ts';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../..');

export interface Installation {
  /** The folder of the command, as in a global installation. */
  readonly bin: string;
  readonly folder: string;
  remove(): Promise<void>;
}

/** Installs like `npm install --global`, in the versions of the lock file and without a registry. */
export async function installPackage(): Promise<Installation> {
  // The files are hard links to node_modules, which can't lead from memory to a disk.
  const prefix = await mkdtemp('/var/tmp/portfolio-access-');
  await chmod(prefix, 0o755);
  const folder = join(prefix, 'lib/node_modules/portfolio-access');
  const bin = join(prefix, 'bin');
  await mkdir(bin);
  await mkdir(folder, { recursive: true });
  const built = buildPackage();
  await linkPackages(join(folder, 'node_modules'));
  for (const file of ['package.json', 'LICENSE', 'CHANGELOG.md']) {
    await copyFile(join(repository, file), join(folder, file));
  }
  await cp(join(repository, 'deploy'), join(folder, 'deploy'), { recursive: true });
  await cp(await built, join(folder, 'dist'), { recursive: true });
  const command = join(folder, 'dist/cli/launch.mjs');
  await chmod(command, 0o755);
  await symlink(command, join(bin, 'portfolio-access'));
  return { bin, folder, remove: () => rm(prefix, { recursive: true, force: true }) };
}

interface LockedPackage {
  readonly dev?: boolean;
}

async function linkPackages(target: string): Promise<void> {
  const lock = await readFile(join(repository, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  const needed = Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path)
    // npm hasn't installed packages for other platforms.
    .filter((path) => existsSync(join(repository, path)));
  const byFolder = Map.groupBy(needed, (path) => join(target, dirname(path).slice(12)));
  for (const [folder, paths] of byFolder) {
    await mkdir(folder, { recursive: true });
    const sources = paths.map((path) => join(repository, path));
    // Hard links aren't possible if node_modules is on another disk.
    await run('cp', ['-al', ...sources, folder]).catch(() => run('cp', ['-a', ...sources, folder]));
  }
}
