import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../faults/support/until.ts';
import { type Host, Network, whyNoDelay, whyNoHosts } from './hosts.ts';

const whyNot = await whyNoHosts();
if (whyNot !== null) console.error(`SKIPPED: several hosts on one machine: ${whyNot}`);
const whyNever = await whyNoDelay();
if (whyNever !== null) console.error(`SKIPPED: delayed packets: ${whyNever}`);

/** Answers each datagram with the number of datagrams received so far, and then logs it. */
const counting = `
let count = 0;
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (_, { port, address }) => {
  count += 1;
  const answer = String(count);
  socket.send(answer, port, address, () => console.log(answer));
});
socket.bind(5000, () => console.log('listening'));`;

async function startCounting(host: Host): Promise<void> {
  const before = await host.log('node').catch(() => '');
  host.start([process.execPath, '-e', counting]);
  await until(async () => (await host.log('node')).slice(before.length).includes('listening'));
}

function openEar(host: Host) {
  const socket = createSocket('udp4');
  const heard: string[] = [];
  socket.on('message', (text) => heard.push(String(text)));
  return {
    heard,
    send: () =>
      new Promise<void>((resolve, reject) =>
        socket.send('.', 5000, host.address, (error) => (error ? reject(error) : resolve())),
      ),
    async hears(count: string) {
      while (!heard.includes(count)) await once(socket, 'message');
    },
    close: () => socket.close(),
  };
}

describe.skipIf(whyNot !== null)('hosts on one machine', () => {
  let network: Network;
  let host: Host;
  let ear: ReturnType<typeof openEar>;
  const written = async () => (await host.log('node')).trimEnd().split('\n').at(-1);

  beforeAll(async () => {
    network = await Network.open();
    host = await network.addHost('host');
  });
  beforeEach(async () => {
    await host.kill();
    await host.boot();
    await startCounting(host);
    ear = openEar(host);
    return () => ear.close();
  });
  afterAll(() => network?.close());

  test('receive no packets if the link to them is cut', async () => {
    await network.cut(network.machine, host, 'one way');
    await ear.send();
    await network.mend();
    await ear.send();
    await ear.hears('1');
    expect(await written()).toBe('1');
  });

  test('receive packets if only the link for their replies is cut, but the replies get lost', async () => {
    await network.cut(host, network.machine, 'one way');
    await ear.send();
    await until(async () => (await written()) === '1');
    await network.mend();
    await ear.send();
    await ear.hears('2');
    expect(ear.heard).toEqual(['2']);
  });

  test('lose some of their packets, but not all, on a lossy link', async () => {
    await network.lose(50);
    for (let count = 0; count < 400; count += 1) await ear.send();
    await network.mend();
    await ear.send();
    await until(async () => {
      await ear.send();
      return ear.heard.length > 0;
    });
    expect(Number(ear.heard.at(-1))).toBeGreaterThan(50);
    expect(Number(await written())).toBeLessThan(350);
  });

  test('do nothing while they are stopped, and continue afterwards', async () => {
    await host.stop();
    await ear.send();
    expect(await written()).toBe('listening');
    await host.wake();
    await ear.hears('1');
  });

  test.skipIf(whyNever !== null)(
    'reply only after the configured delay of their packets',
    async () => {
      await network.delay(50);
      const sentAt = performance.now();
      await ear.send();
      await ear.hears('1');
      expect(performance.now() - sentAt).toBeGreaterThan(45);
    },
  );
});
