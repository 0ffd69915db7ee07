import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';

const attw = fileURLToPath(new URL('../../node_modules/.bin/attw', import.meta.url));

/** Runs two linters for packages on a tarball. They check how each way to import it is resolved and typed. */
export async function findPublishingProblems(tarball: string): Promise<readonly unknown[]> {
  const bytes = new Uint8Array(await readFile(tarball));
  const [{ messages }, { stdout }] = await Promise.all([
    publint({ pack: { tarball: bytes.buffer } }),
    promisify(execFile)(process.execPath, [attw, tarball, '--format', 'json'], {
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: { stdout?: string }) => {
      // It exits with 1 if it has found a problem, which is still printed on stdout.
      if (!error.stdout) throw error;
      return { stdout: error.stdout };
    }),
  ]);
  const { analysis } = JSON.parse(stdout);
  if (!analysis.types) throw new Error('attw has seen no types');
  return [...messages, ...analysis.problems];
}
