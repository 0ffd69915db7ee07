import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createMigratedDataDir } from '../support/databases.ts';

export const repository = resolve(import.meta.dirname, '../..');

export const printedUrl = 'http://127.0.0.1:3000';

export const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('SKIPPED: the commands of documents need curl, which is not installed');

export interface DemoService extends AsyncDisposable {
  readonly url: string;
  /** A shell with this environment runs the printed commands. `KEY` and `COMPANY_KEY` contain the keys. */
  readonly environment: NodeJS.ProcessEnv;
  /** Runs commands from the documents on this service, and returns their output. Throws if one fails. */
  run(commands: string): Promise<string>;
}

export async function startDemoService(): Promise<DemoService> {
  const dataDir = await createMigratedDataDir();
  const settings = { PORT: '0', DATA_DIR: dataDir.path, DATABASE_URL: '', REDIS_URL: '' };
  const environment: NodeJS.ProcessEnv = { ...process.env, ...settings };
  const service = spawn(process.execPath, ['gateway/main.ts'], {
    cwd: repository,
    env: environment,
  });
  let url = '';
  for await (const line of createInterface(service.stdout)) {
    url ||= /listens on (\S+)/.exec(line)?.[1] ?? '';
    environment.KEY ??= /^ +(svc_sk_test_\w+)$/.exec(line)?.[1];
    environment.COMPANY_KEY ??= /svc_ck_test_\w+/.exec(line)?.[0];
    if (line.startsWith('The documentation:')) break;
  }
  return {
    url,
    environment,
    async run(commands) {
      const options = { cwd: repository, env: environment };
      const { stdout } = await promisify(execFile)(
        'sh',
        ['-c', commands.replaceAll(printedUrl, url)],
        options,
      );
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      service.kill();
      await once(service, 'exit');
      await dataDir.remove();
    },
  };
}
