import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { endProcess } from '../support/redis.ts';

const manifest = resolve(import.meta.dirname, '../../deploy/kubernetes/redis.yaml');
const patience = { timeout: 60_000 };
const pods = ['redis-0', 'redis-1', 'redis-2'] as const;
const run = promisify(execFile);

const isInstalled = await run('redis-server', ['--version']).then(
  () => true,
  () => false,
);
/** All pods use Redis's port, so each needs its own loopback address. */
const hasAddresses = await new Promise<boolean>((done) => {
  const server = createServer().listen(6379, '127.77.0.1');
  server.once('listening', () => server.close(() => done(true)));
  server.once('error', () => done(false));
});
const canRun = isInstalled && hasAddresses;
if (!canRun)
  console.warn(
    isInstalled
      ? 'SKIPPED: no address of 127.77.0.0/16 can be listened on'
      : 'SKIPPED: redis-server is not installed',
  );

/** The start commands of the containers in deploy/kubernetes/redis.yaml. */
async function readContainers(): Promise<{ args: string[]; joining: string }> {
  const documents = parseAllDocuments(await readFile(manifest, 'utf8'));
  const { spec } = documents
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'StatefulSet');
  const [redis, join] = spec.template.spec.containers;
  const joining: string = join.command.at(-1);
  expect(joining).toContain('sleep 10 ');
  return { args: redis.args, joining: joining.replace('sleep 10 ', 'sleep 0.3 ') };
}

async function createPods(namespace = 'portfolio') {
  const { args, joining } = await readContainers();
  const folder = await mkdtemp(join(tmpdir(), 'redis-nodes-'));
  const [names, asked] = [join(folder, 'hosts'), join(folder, 'asked')];
  await writeFile(
    join(folder, 'getent'),
    `#!/bin/sh\necho "$2" >> '${asked}'\n[ "$1" = hosts ] && grep -s " $2$" '${names}'\n`,
    { mode: 0o755 },
  );
  const started: ChildProcess[] = [];
  const stop = () => Promise.all(started.splice(0).map(endProcess));
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  async function startServer(pod: string, address: string): Promise<void> {
    const volume = join(folder, pod);
    await mkdir(volume, { recursive: true });
    const given = args.map((each) =>
      each
        .replace('$(ADDRESS)', address)
        .replace('$(NAME).$(NAMESPACE)', `${pod}.${namespace}`)
        .replace('/data', volume),
    );
    // Protected mode is off, as in the image. The server has only one address, as in a pod.
    const server = spawn('redis-server', [...given, '--bind', address, '--protected-mode', 'no'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(server);
    let told = '';
    for await (const chunk of server.stdout) {
      told += chunk;
      if (told.includes('eady to accept connections')) return;
    }
    throw new Error(told);
  }

  const addressOf = (subnet: number, index: number) => `127.77.${subnet}.${index + 1}`;
  const ask = async (address: string, ...words: string[]) =>
    (await run('redis-cli', ['-h', address, ...words])).stdout;

  return {
    addressOf,
    stop,
    start: (subnet: number) =>
      Promise.all(pods.map((pod, index) => startServer(pod, addressOf(subnet, index)))),
    /** Starts the script that joins the cluster, once for each node. */
    join(subnet: number) {
      for (const [index, pod] of pods.entries()) {
        const ADDRESS = addressOf(subnet, index);
        const PATH = `${folder}:${process.env.PATH}`;
        const env = { PATH, ADDRESS, NAME: pod, NAMESPACE: namespace };
        started.push(spawn('sh', ['-uc', joining], { stdio: 'ignore', env }));
      }
    },
    asked: async () => (await readFile(asked, 'utf8').catch(() => '')).split('\n').length - 1,
    name: (subnet: number) =>
      writeFile(
        names,
        pods.map((pod, index) => `${addressOf(subnet, index)} ${pod}.redis\n`).join(''),
      ),
    /** Returns each node's number of served slots and its addresses of the nodes. */
    look: (subnet: number) =>
      Promise.all(
        pods.map(async (_, index) => {
          const address = addressOf(subnet, index);
          const nodes = await ask(address, 'cluster', 'nodes');
          return {
            slots: Number(/slots_ok:(\d+)/.exec(await ask(address, 'cluster', 'info'))?.[1]),
            addresses: [...nodes.matchAll(/ ([\d.]+):6379@/g)].map(([, known]) => known).toSorted(),
          };
        }),
      ),
  };
}

describe.skipIf(!canRun)('the file deploy/kubernetes/redis.yaml', () => {
  it('creates a cluster of three nodes, which find each other again after all get new addresses', async () => {
    const cluster = await createPods();
    const addressesIn = (subnet: number) =>
      pods.map((_, index) => cluster.addressOf(subnet, index));
    const untilKnown = (subnet: number, addresses: readonly string[][]) =>
      expect
        .poll(async () => (await cluster.look(subnet)).map((each) => each.addresses), patience)
        .toEqual(addresses);
    const untilWhole = (subnet: number) =>
      expect
        .poll(() => cluster.look(subnet), patience)
        .toEqual(pods.map(() => ({ slots: 16_384, addresses: addressesIn(subnet) })));

    await cluster.start(1);
    cluster.join(1);
    const alone = addressesIn(1).map((address) => [address]);
    await untilKnown(1, alone);
    await cluster.name(1);
    await untilWhole(1);

    await cluster.stop();
    await cluster.start(2);
    cluster.join(2);
    // The pods' names still lead to the old addresses, so each node knows only its own new address.
    const missed = pods.map((_, index) =>
      addressesIn(1).with(index, cluster.addressOf(2, index)).toSorted(),
    );
    await untilKnown(2, missed);
    await cluster.name(2);
    await untilWhole(2);
  });

  it('rejects a node of another cluster that now has an old address', async () => {
    const cluster = await createPods();
    const stranger = await createPods('elsewhere');
    await cluster.start(3);
    await stranger.start(4);
    await cluster.name(4);
    cluster.join(3);
    await expect.poll(cluster.asked, patience).toBeGreaterThan(27);
    expect(await cluster.look(3)).toEqual(
      pods.map((_, index) => expect.objectContaining({ addresses: [cluster.addressOf(3, index)] })),
    );
  });
});
