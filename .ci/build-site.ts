// Builds the documentation into docs/.vitepress/dist if its sources have changed. Without VitePress, a development
// package, the service runs without documentation.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const command = join(root, 'node_modules/vitepress/bin/vitepress.js');

export const siteFolder = join(root, 'docs/.vitepress/dist');

/** Returns true if the site is current afterwards. If the build fails, throws with the output of VitePress. */
export async function buildSite(): Promise<boolean> {
  if (!existsSync(command)) {
    console.error('the documentation is not built, because vitepress is not installed');
    return false;
  }
  const stamp = join(siteFolder, 'sources.sha256');
  const sources = hashSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return true;
  // The old site stays until the new one is complete.
  const draft = `${siteFolder}-${process.pid}`;
  try {
    await run('build', 'docs', '--outDir', draft);
    writeFileSync(join(draft, 'sources.sha256'), sources);
    rmSync(siteFolder, { recursive: true, force: true });
    renameSync(draft, siteFolder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}

function hashSources(): string {
  const files = globSync(
    [
      'docs/*.md',
      'docs/images/*',
      'docs/.vitepress/*.ts',
      'docs/.vitepress/theme/*',
      'desk/assets/icon.svg',
      'node_modules/vitepress/package.json',
      '{CHANGELOG,SKILL}.md',
    ],
    { cwd: root },
  );
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function run(...words: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...words], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output))));
  });
}

if (import.meta.main) await buildSite();
