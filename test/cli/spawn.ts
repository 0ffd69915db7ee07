import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../support/processes.ts';
import { Outcome } from './harness.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

interface Given {
  /** All variables of the process, except PATH and the variables that Node sets. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Iterable<string>;
  readonly nodeOptions?: readonly string[];
}

export function startCli(
  commandLine: readonly string[],
  { env, nodeOptions = [] }: Omit<Given, 'input'>,
) {
  return spawn(process.execPath, [...nodeOptions, main, ...commandLine], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

export async function spawnCli(commandLine: readonly string[], given: Given): Promise<Outcome> {
  const child = startCli(commandLine, given);
  Readable.from(given.input ?? []).pipe(child.stdin.on('error', () => undefined));
  const [exitCode, stdout, stderr] = await Promise.all([
    exitOf(child),
    text(child.stdout),
    text(child.stderr),
  ]);
  return new Outcome(exitCode, stdout, stderr);
}

export function exitOf(child: ReturnType<typeof startCli>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
}
