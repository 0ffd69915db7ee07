import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DemoService,
  hasCurl,
  printedUrl,
  repository,
  startDemoService,
} from './demo-service.ts';

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The commands in the console blocks, each with the output that follows it. */
async function readSteps(): Promise<Step[]> {
  const pages = ['README.md', 'docs/quick-start.md'].map((path) =>
    readFile(join(repository, path), 'utf8'),
  );
  const text = (await Promise.all(pages)).join('\n');
  const blocks = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
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

/** Removes everything that differs between runs: IDs, times, secrets, versions, the month's amounts, and heartbeats. */
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

describe.skipIf(!hasCurl)('the sample of the README and the quick start', () => {
  const steps = readSteps();
  let service: DemoService;

  beforeAll(async () => {
    service = await startDemoService();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it('prints the documented output, from the request to the refused read', async () => {
    const { environment, url } = service;
    expect(environment.KEY).toBeDefined();
    const printed: { command: string; output: string }[] = [];
    let waiting: Stream | undefined;
    for (const { command } of await steps) {
      if (command.includes('text/event-stream')) {
        waiting = await openStream(command.replaceAll(printedUrl, url), environment);
        printed.push({ command, output: '' });
        continue;
      }
      const stdout = await service.run(command);
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
    /** Returns the output until the end of the next event, and then ends the command. */
    event(): Promise<string>;
  }

  /** Resolves when the command has printed something. */
  async function openStream(command: string, env: NodeJS.ProcessEnv): Promise<Stream> {
    const child = spawn('sh', ['-c', `exec ${command}`], { cwd: repository, env });
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
});
