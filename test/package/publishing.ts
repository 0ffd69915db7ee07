import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';

const attw = fileURLToPath(new URL('../../node_modules/.bin/attw', import.meta.url));

/** publint and attw check that each way to import the package works and has types. */
export async function findPublishingProblems(tarball: string): Promise<readonly unknown[]> {
  const bytes = new Uint8Array(await readFile(tarball));
  const [{ messages }, { stdout }] = await Promise.all([
    publint({ pack: { tarball: bytes.buffer } }),
    promisify(execFile)(process.execPath, [attw, tarball, '--format', 'json'], {
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: { stdout?: string }) => {
      // attw exits with 1 if it finds a problem, but still prints the problem on stdout.
      if (!error.stdout) throw error;
      return { stdout: error.stdout };
    }),
  ]);
  const { analysis } = JSON.parse(stdout);
  if (!analysis.types) throw new Error('attw has seen no types');
  return [...messages, ...analysis.problems];
}
