import { spawnSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createWebhookSender } from '../../gateway/webhooks/sender.ts';
import type { Json } from '../support/http-client.ts';
import { killLeftovers, type RunningProcess, startProcess } from '../support/processes.ts';
import { findFreePort } from '../support/redis.ts';
import { type Demo, startDemo } from './demo.ts';

const folder = resolve(import.meta.dirname, '../../examples/webhooks');
const secretOf = (byte: number) =>
  `whsec_${Buffer.from(new Uint8Array(32).fill(byte)).toString('base64')}`;
const secret = secretOf(7);

const isThere = (program: string, option: string) => spawnSync(program, [option]).status === 0;
const hasPython = isThere('python3', '--version');
const hasCurl = isThere('curl', '--version');
if (!hasPython) console.error('SKIPPED: the receiver in Python: python3 is not installed');
if (!hasCurl) console.error('SKIPPED: examples/webhooks/try.sh: curl is not installed');

const receivers = [
  { language: 'TypeScript', command: [process.execPath, join(folder, 'receiver.ts')] },
  ...(hasPython ? [{ language: 'Python', command: ['python3', join(folder, 'receiver.py')] }] : []),
] as { language: string; command: [string, ...string[]] }[];

afterAll(killLeftovers);

describe.each(receivers)('the example of a receiver in $language', ({ command }) => {
  const sender = createWebhookSender({ allowPrivate: true });
  let running: RunningProcess;
  let url: string;
  let settings: Record<string, string>;

  const start = async () => {
    running = startProcess(settings, command);
    await running.waitFor(/^listening/);
  };
  beforeAll(async () => {
    const port = `${await findFreePort()}`;
    const own = await mkdtemp(join(inject('dataFolder'), 'received-'));
    settings = { SECRET: secret, PORT: port, DATABASE: join(own, 'received.db') };
    url = `http://127.0.0.1:${port}/`;
    await start();
  });

  const send = async (id: string, options: { secrets?: string[]; timestamp?: Date } = {}) => {
    const body = JSON.stringify({
      type: 'access_request.created',
      timestamp: '2026-11-03T14:05:00.000Z',
      data: { access_request: { id: `ar_of_${id}`, status: 'pending', purpose: 'Überblick' } },
    });
    const { secrets = [secret], timestamp = new Date() } = options;
    const outcome = await sender.send({ url, id, timestamp, body, secrets });
    return 'status' in outcome ? outcome.status : outcome.failure;
  };
  const handled = () => running.output().match(/ar_of_\w+/g) ?? [];

  it('handles signed messages, even while the secret is being replaced', async () => {
    expect(await send('evt_1')).toBe(204);
    expect(await send('evt_2', { secrets: [secretOf(1), secret] })).toBe(204);
    await running.waitFor(/^access_request.created ar_of_evt_2 pending$/);
    expect(handled()).toEqual(['ar_of_evt_1', 'ar_of_evt_2']);
  });

  it('handles a message only once if it arrives again, even after a restart', async () => {
    expect(await Promise.all(['evt_3', 'evt_3', 'evt_3', 'evt_1'].map((id) => send(id)))).toEqual(
      Array(4).fill(204),
    );
    await running.waitFor(/ar_of_evt_3/);
    expect(handled()).toEqual(['ar_of_evt_1', 'ar_of_evt_2', 'ar_of_evt_3']);
    running.child.kill();
    await running.exited;
    await start();
    expect(await send('evt_3')).toBe(204);
    expect(await send('evt_4')).toBe(204);
    await running.waitFor(/ar_of_evt_4/);
    expect(handled()).toEqual(['ar_of_evt_4']);
  });

  it('refuses a message that is signed with another secret, changed, old or too long', async () => {
    expect(await send('evt_5', { secrets: [secretOf(1)] })).toBe(400);
    expect(await send('evt_5', { secrets: [] })).toBe(400);
    expect(await send('evt_5', { timestamp: new Date(Date.now() - 600_000) })).toBe(400);
    const forged = await fetch(url, {
      method: 'POST',
      headers: { 'webhook-id': 'evt_5', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
      body: '{}',
    });
    expect(forged.status).toBe(400);
    const long = fetch(url, { method: 'POST', body: 'a'.repeat(1_048_577) });
    // The receiver may close the connection before the client has sent everything.
    expect(
      await long.then(
        ({ status }) => status,
        () => 413,
      ),
    ).toBe(413);
    expect(handled()).not.toContain('ar_of_evt_5');
  });
});

describe.skipIf(!hasCurl)('the script examples/webhooks/try.sh', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo({ WEBHOOK_ALLOW_PRIVATE: 'on' });
  });
  afterAll(async () => {
    killLeftovers();
    await demo?.close();
  });

  it.each(receivers)(
    'adds an endpoint for the receiver in $language, and the receiver gets events',
    async (receiver) => {
      const own = await mkdtemp(join(inject('dataFolder'), 'received-'));
      const settings = {
        KEY: demo.key,
        PORTFOLIO_ACCESS_URL: demo.url,
        PORT: `${await findFreePort()}`,
        DATABASE: join(own, 'received.db'),
      };
      const command = ['sh', join(folder, 'try.sh'), ...receiver.command] as const;
      const running = startProcess(settings, command);
      await running.waitFor(/^the test message has arrived/);
      const wish = { company_id: 'co_test_declines', scopes: ['metrics:read'] };
      const { id } = await demo.ask('POST', '/v1/access-requests', wish);
      await running.waitFor(new RegExp(`^access_request.declined ${id} declined$`));
      const countEndpoints = async () => {
        const { data } = await demo.ask('GET', '/v1/webhook-endpoints');
        return data.filter(({ url }: Json) => url.startsWith('http://127.0.0.1:')).length;
      };
      expect(await countEndpoints()).toBe(1);
      running.child.kill();
      await running.exited;
      expect(await countEndpoints()).toBe(0);
    },
  );
});
