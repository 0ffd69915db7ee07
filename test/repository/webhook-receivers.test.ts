import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { createWebhookSender } from '../../gateway/webhooks/sender.ts';
import { killLeftovers, startProcess } from '../support/processes.ts';
import { findFreePort } from '../support/redis.ts';

const repository = resolve(import.meta.dirname, '../..');
const secretOf = (byte: number) =>
  `whsec_${Buffer.from(new Uint8Array(32).fill(byte)).toString('base64')}`;
const secret = secretOf(7);

const receivers = [
  { language: 'ts', file: 'receiver.ts', command: process.execPath, unreachable: false },
  { language: 'python', file: 'receiver.py', command: 'python3', unreachable: !hasPython() },
];

function hasPython(): boolean {
  return spawnSync('python3', ['--version']).status === 0;
}

for (const { command, unreachable } of receivers) {
  if (unreachable) console.error(`SKIPPED: the receiver of docs/webhooks.md: no ${command}`);
}

/** The folder can import the repository's packages. */
async function writeReceiver(language: string, file: string): Promise<string> {
  const page = await readFile(join(repository, 'docs/webhooks.md'), 'utf8');
  const block = new RegExp(`^\`\`\`${language}(?: \\[\\w+\\])?\\n(.*?)^\`\`\``, 'ms');
  const code = block.exec(page)?.[1];
  if (code === undefined) throw new Error(`docs/webhooks.md has no ${language}`);
  const folder = await mkdtemp(join(inject('dataFolder'), 'receiver'));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, file), code);
  return join(folder, file);
}

afterAll(killLeftovers);

describe.each(receivers)('the $language receiver of docs/webhooks.md', (receiver) => {
  test.skipIf(receiver.unreachable)(
    'accepts each message that the service signs once, and no other message',
    async () => {
      const path = await writeReceiver(receiver.language, receiver.file);
      const port = await findFreePort();
      const running = startProcess({ SECRET: secret, PORT: `${port}` }, [receiver.command, path]);
      await running.waitFor(/^listening/);
      const sender = createWebhookSender({ allowPrivate: true });
      const send = (secrets: readonly string[], id: string, timestamp = new Date()) =>
        sender.send({
          url: `http://127.0.0.1:${port}/`,
          id,
          timestamp,
          body: JSON.stringify({
            type: 'access_request.created',
            data: { access_request: { id: `ar_of_${id}`, purpose: 'Überblick' } },
          }),
          secrets,
        });
      expect(await send([secret], 'evt_1')).toMatchObject({ status: 204 });
      expect(await send([secret], 'evt_1')).toMatchObject({ status: 204 });
      expect(await send([secretOf(1), secret], 'evt_2')).toMatchObject({ status: 204 });
      expect(await send([secretOf(1)], 'evt_3')).toMatchObject({ status: 400 });
      expect(await send([], 'evt_4')).toMatchObject({ status: 400 });
      const old = new Date(Date.now() - 600_000);
      expect(await send([secret], 'evt_5', old)).toMatchObject({ status: 400 });
      await running.waitFor(/evt_2/);
      expect(running.output().match(/access_request\.created ar_of_evt_\d/g)).toEqual([
        'access_request.created ar_of_evt_1',
        'access_request.created ar_of_evt_2',
      ]);
      running.child.kill();
      await running.exited;
    },
  );
});
