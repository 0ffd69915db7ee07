import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, type ProgramName, programs } from './catalogue.ts';
import { root } from './migrate.ts';
import type { Given } from './programs/given.ts';
import { endWithUs, findFreePort } from './servers.ts';
import { nodeOptions, plainEnvironment, publicUrl, startEnvironment } from './settings.ts';

/** The maximum time for a start in milliseconds, long enough for a busy machine. */
const startMilliseconds = 120_000;

export interface RunningProgram {
  readonly port: number;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly logFile: string;
  /** Stops the program. Rejects if the program has already ended by itself. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly databaseUrl: string;
  /** The database URL of the service's least-privilege role. If absent, the service connects as the superuser. */
  readonly serviceUrl?: string;
  readonly redisUrl: string;
  readonly role: string;
  /** A folder for logs and temporary files. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program in a separate process, and waits for its first response. */
export async function startProgram(
  name: ProgramName,
  options: StartOptions,
): Promise<RunningProgram> {
  const program: Program = programs[name];
  const port = await findFreePort();
  const logFile = join(options.folder, `${name.replaceAll(/\W+/g, '-')}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, commandOf(program, options, port), {
    cwd: root,
    env: {
      ...plainEnvironment,
      ...(program.file === null && settings(options, port)),
      ...program.environment,
      ...options.environment,
    },
    stdio: ['ignore', log, log],
  });
  const exited = once(child, 'exit');
  endWithUs(child);
  if (!(await answers(port, child))) {
    child.kill('SIGKILL');
    const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-20);
    throw new Error(`${name} does not answer:\n${lines.join('\n')}`);
  }
  return {
    port,
    pid: child.pid ?? 0,
    child,
    logFile,
    async stop() {
      const hadEnded = child.exitCode !== null || child.signalCode !== null;
      child.kill();
      await exited;
      if (hadEnded) throw new Error(`${name} ended by itself, see ${logFile}`);
    },
  };
}

function commandOf(program: Program, options: StartOptions, port: number): string[] {
  if (program.file === null) return [...nodeOptions, 'gateway/main.ts'];
  const given: Given = {
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
    role: options.role,
    port,
    records: false,
    ...program.given,
  };
  return [join('bench/programs', program.file), JSON.stringify(given)];
}

/** Returns the environment: the service's defaults, the addresses, and a rate limit that no caller reaches. */
const settings = ({ databaseUrl, serviceUrl, redisUrl }: StartOptions, port: number) => ({
  ...startEnvironment,
  DATABASE_URL: serviceUrl ?? databaseUrl,
  PUBLIC_URL: publicUrl,
  REDIS_URL: redisUrl,
  PORT: String(port),
  DEMO: 'off',
  RATE_LIMIT_POINTS: '1000000',
});

/** Waits for the first response of any kind. Returns false if the program ends or takes too long. */
async function answers(port: number, child: ChildProcess): Promise<boolean> {
  const givesUpAt = Date.now() + startMilliseconds;
  while (Date.now() < givesUpAt && child.exitCode === null && child.signalCode === null) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`);
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return false;
}
