import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, type ProgramName, programs } from './catalogue.ts';
import { root } from './migrate.ts';
import type { Given } from './programs/given.ts';
import { endWithUs, findFreePort } from './servers.ts';
import { nodeOptions, plainEnvironment, publicUrl, startEnvironment } from './settings.ts';

/** A busy machine takes long; a program that ends is not waited for. */
const startMilliseconds = 120_000;

export interface RunningProgram {
  readonly port: number;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly logFile: string;
  /** Rejects when the program has ended by itself before. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** As its superuser. */
  readonly databaseUrl: string;
  /** As the role of least privilege that the service is to have; absent: as the superuser too. */
  readonly serviceUrl?: string;
  readonly redisUrl: string;
  readonly role: string;
  /** Where what the program writes goes to. */
  readonly logFolder: string;
  /** Settings beside the service's own defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program in a process of its own and waits until it answers. */
export async function startProgram(
  name: ProgramName,
  options: StartOptions,
): Promise<RunningProgram> {
  const program: Program = programs[name];
  const port = await findFreePort();
  const logFile = join(options.logFolder, `${name.replaceAll(/\W+/g, '-')}.log`);
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

/** The service with its own defaults, but for where everything is and that nobody is turned away. */
const settings = ({ databaseUrl, serviceUrl, redisUrl }: StartOptions, port: number) => ({
  ...startEnvironment,
  DATABASE_URL: serviceUrl ?? databaseUrl,
  PUBLIC_URL: publicUrl,
  REDIS_URL: redisUrl,
  PORT: String(port),
  DEMO: 'off',
  RATE_LIMIT_POINTS: '1000000',
});

/** Waits until there is an answer, whatever it is; false when there will be none. */
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
