import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';

const repository = resolve(import.meta.dirname, '../..');
const printedUrl = 'http://127.0.0.1:3000';

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The commands of the README's console blocks, each with the output that is printed below it. */
async function readSteps(): Promise<Step[]> {
  const readme = await readFile(join(repository, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...output] = step.split('\n');
        return { command, output: output.join('\n').trim() };
      }),
  );
}

/**
 * Without what differs from run to run: ids, times, secrets, versions, the amounts of the month, and what a slow run is
 * sent meanwhile.
 */
function timeless(text: string): string {
  return text
    .replaceAll(/^: heartbeat\n\n/gm, '')
    .replaceAll(/_[0-9a-f]{32}\b/g, '_ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'INSTANT')
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, 'DATE')
    .replaceAll(/(?<="(?:signature|jws)":")[^"]+/g, 'SIGNATURE')
    .replaceAll(/(?<="secret":"|"hint":")[^"]+/g, 'SECRET')
    .replaceAll(/(?<="data_version":")\d+/g, 'VERSION')
    .replaceAll(/(?<="(?:value|raw_value_text)":")[^"]+|(?<="raw_value":)[\d.]+/g, 'AMOUNT')
    .trim();
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('SKIPPED: the tour of the README needs curl, which is not installed');

describe.skipIf(!hasCurl)('the sample and the tour of the README', () => {
  const steps = readSteps();
  let dataDir: DataDir;
  let url: string;
  let environment: NodeJS.ProcessEnv;
  let service: ReturnType<typeof spawn>;

  beforeAll(async () => {
    dataDir = await createMigratedDataDir();
    const settings = { PORT: '0', DATA_DIR: dataDir.path, DATABASE_URL: '', REDIS_URL: '' };
    environment = { ...process.env, ...settings };
    service = spawn(process.execPath, ['gateway/main.ts'], { cwd: repository, env: environment });
    if (service.stdout === null) throw new Error('the service has no output');
    for await (const line of createInterface(service.stdout)) {
      url ??= /listens on (\S+)/.exec(line)?.[1] as string;
      environment.KEY ??= /^ +(svc_sk_test_\w+)$/.exec(line)?.[1];
      if (line.startsWith('The documentation:')) break;
    }
  });

  afterAll(async () => {
    service.kill();
    await once(service, 'exit');
    await dataDir.remove();
  });

  it('prints what the README says, from asking to the refused read', async () => {
    expect(environment.KEY).toBeDefined();
    const printed: { command: string; output: string }[] = [];
    let waiting: Stream | undefined;
    for (const { command } of await steps) {
      if (command.includes('text/event-stream')) {
        waiting = await openStream(command.replaceAll(printedUrl, url));
        printed.push({ command, output: '' });
        continue;
      }
      const { stdout } = await run(command.replaceAll(printedUrl, url));
      const before = printed.at(-1);
      if (waiting && before) before.output = await waiting.event();
      waiting = undefined;
      environment.DATA_KEY ??= /"secret":"(svc_ck_\w+)"/.exec(stdout)?.[1];
      environment.REQUEST ??= /"id":"(ar_\w+)"/.exec(stdout)?.[1];
      printed.push({ command, output: stdout.replaceAll(url, printedUrl) });
    }
    expect(printed.map(({ output }) => timeless(output))).toEqual(
      (await steps).map(({ output }) => timeless(output)),
    );
    expect(printed).toHaveLength(16);
  });

  interface Stream {
    /** Everything that was printed up to the end of the next event; ends the command. */
    event(): Promise<string>;
  }

  /** A command that goes on printing. Resolves when it has begun. */
  async function openStream(command: string): Promise<Stream> {
    const child = spawn('sh', ['-c', `exec ${command}`], { cwd: repository, env: environment });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await once(child.stdout, 'data');
    return {
      async event() {
        while (!/^data: .*\n\n/m.test(printed)) await once(child.stdout, 'data');
        child.kill();
        return printed.trim();
      },
    };
  }

  function run(command: string): Promise<{ stdout: string }> {
    return new Promise((done, fail) => {
      execFile('sh', ['-c', command], { cwd: repository, env: environment }, (error, stdout) =>
        error === null ? done({ stdout }) : fail(error),
      );
    });
  }
});
