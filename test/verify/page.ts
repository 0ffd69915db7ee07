import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');

export async function blocksOf(language: string): Promise<string[]> {
  const page = await readFile(join(repository, 'docs/verification.md'), 'utf8');
  const pattern = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms');
  return [...page.matchAll(pattern)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

export const hasCryptography = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
if (!hasCryptography) {
  console.error(
    'SKIPPED: the independent verification in Python: no python3 with cryptography (Debian: python3-cryptography)',
  );
}

export interface Told {
  readonly exitCode: number;
  readonly output: string;
}

/** Writes the page's script and a key set to a folder. The returned function verifies one answer per call. */
export async function createPythonVerifier(
  jwks: object,
): Promise<(answer: string) => Promise<Told>> {
  const [script = ''] = await blocksOf('python');
  const folder = await mkdtemp(join(inject('dataFolder'), 'python'));
  await writeFile(join(folder, 'verify.py'), script);
  await writeFile(join(folder, 'jwks.json'), JSON.stringify(jwks));
  return (answer) =>
    new Promise((done) => {
      const child = execFile(
        'python3',
        ['verify.py', 'jwks.json'],
        { cwd: folder, maxBuffer: 100_000_000, env: { ...process.env, PYTHONIOENCODING: 'utf-8' } },
        (_error, stdout, stderr) =>
          done({ exitCode: child.exitCode ?? -1, output: stdout + stderr }),
      );
      child.stdin?.end(answer);
    });
}
