import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logLines, requireNoSecrets, requireNoSecretsInCommands } from './secrets.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The compile cache saves a fifth of the time that a process needs to start. */
export const compileCache = join(root, 'node_modules/.cache/node-compile');

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  readonly child: ChildProcess;
  /** From stdout and stderr. */
  output(): string;
  /** Resolves with the first line that matches. Rejects if the process ends without one. */
  waitFor(pattern: RegExp): Promise<string>;
  readonly exited: Promise<Exit>;
}

export interface RunningService extends RunningProcess {
  readonly url: string;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

type Environment = Readonly<Record<string, string>>;

const started = new Set<ChildProcess>();

/** Kills processes that failed tests have left running. */
export function killLeftovers(): void {
  for (const { pid } of started) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  started.clear();
}

/** The machine's other settings must have no effect. */
function cleanEnvironment(environment: Environment): NodeJS.ProcessEnv {
  const { HOME, TMPDIR } = process.env;
  return {
    // Makes npm use the same Node version.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: compileCache,
    ...(HOME && { HOME }),
    ...(TMPDIR && { TMPDIR }),
    HOST: '127.0.0.1',
    PORT: '0',
    DEMO: 'off',
    MIGRATE_ON_START: 'on',
    ...environment,
  };
}

/** Tests run this command instead of `npm start`. */
export const serveCommand = [process.execPath, join(root, 'cli/main.ts'), 'serve'] as const;

export function startProcess(
  environment: Environment,
  [command, ...parameters]: readonly [string, ...string[]] = [
    process.execPath,
    join(root, 'gateway/main.ts'),
  ],
): RunningProcess {
  const child = spawn(command, parameters, {
    cwd: root,
    env: cleanEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a separate process group, a failed test's leftovers can be killed with all their children.
    detached: true,
  });
  started.add(child);
  let output = '';
  const look = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
      for (const check of look) check();
    });
  }
  // If this check fails, the whole run fails, even if no test waits for the end of the process.
  child.once('close', () => requireNoSecrets(logLines(output).join('\n'), 'the log'));
  const exited = once(child, 'close').then(
    ([code, signal]): Exit => ({ code: code as Exit['code'], signal: signal as Exit['signal'] }),
  );
  return {
    child,
    exited,
    output: () => output,
    waitFor(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const check = (): void => {
        const found = output.split('\n').find((line) => pattern.test(line));
        if (found !== undefined) resolve(found);
      };
      look.add(check);
      check();
      void exited.then(({ code }) =>
        reject(new Error(`ended with ${code} before ${pattern} came:\n${output}`)),
      );
      return promise.finally(() => look.delete(check));
    },
  };
}

/** Resolves once the service accepts connections. */
export async function startServiceProcess(
  environment: Environment,
  command?: readonly [string, ...string[]],
): Promise<RunningService> {
  const running = startProcess(environment, command);
  const line = await running.waitFor(/"msg":"listening"/);
  if (running.child.pid !== undefined) requireNoSecretsInCommands(running.child.pid);
  return {
    ...running,
    url: JSON.parse(line).url,
    stop(signal = 'SIGTERM') {
      running.child.kill(signal);
      return running.exited;
    },
  };
}
