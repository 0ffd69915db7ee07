import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { endProcess, findFreePort, startRedisServer } from './redis.ts';

export interface TestRedisCluster {
  /** The nodes, divided by commas. */
  readonly url: string;
  /** Ends one node; the slots that it has are lost with it. */
  kill(node: number): Promise<void>;
  /** The node comes back with its slots and without what it had counted; resolves when the cluster is whole. */
  revive(node: number): Promise<void>;
  stop(): Promise<void>;
}

const slots = 16_384;

/** Three nodes of our own, each with a third of the keys; null, said aloud, when Redis is not installed. */
export async function startRedisCluster(): Promise<TestRedisCluster | null> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
  const nodes: { child: ChildProcess; port: number; busPort: number }[] = [];
  async function stop(): Promise<void> {
    for (const { child } of nodes) await endProcess(child);
    await rm(folder, { recursive: true, force: true });
  }
  for (let count = 0; count < 3; count += 1) {
    const node = await startNode(folder);
    if (node === null) {
      console.warn('SKIPPED: no Redis cluster can be started: redis-server is not installed');
      await stop();
      return null;
    }
    nodes.push(node);
  }
  const ports = nodes.map(({ port }) => port);
  await joinNodes(ports);
  return {
    url: ports.map((port) => `redis://127.0.0.1:${port}`).join(','),
    async kill(node) {
      const lost = nodes[node];
      if (lost) await endProcess(lost.child);
    },
    async revive(node) {
      const lost = nodes[node];
      if (lost === undefined) return;
      lost.child = spawn('redis-server', parametersOf(folder, lost.port, lost.busPort), {
        stdio: 'ignore',
      });
      await untilWhole(ports);
    },
    stop,
  };
}

async function startNode(folder: string) {
  let busPort = 0;
  const started = await startRedisServer(async (port) => {
    busPort = await findFreePort();
    return parametersOf(folder, port, busPort);
  });
  return started && { ...started, busPort };
}

const parametersOf = (folder: string, port: number, busPort: number) => [
  ...['--port', String(port), '--save', '', '--cluster-enabled', 'yes'],
  ...['--cluster-config-file', join(folder, `${port}.conf`), '--dir', folder],
  // The bus port is by default this one and 10,000, which may be no port at all.
  ...['--cluster-port', String(busPort), '--cluster-node-timeout', '1000'],
];

/** Gives each node its slots and waits until all agree on it. */
async function joinNodes(ports: readonly number[]): Promise<void> {
  const nodes = ports.map((port) => new Redis(port, '127.0.0.1'));
  const share = Math.ceil(slots / ports.length);
  const busPorts = await Promise.all(nodes.map(readBusPort));
  for (const [index, node] of nodes.entries()) {
    const last = Math.min(slots, (index + 1) * share) - 1;
    await node.cluster('ADDSLOTSRANGE', index * share, last);
    await nodes[0]?.call(
      'CLUSTER',
      'MEET',
      '127.0.0.1',
      String(ports[index]),
      busPorts[index] ?? '',
    );
  }
  for (const node of nodes) node.disconnect();
  await untilWhole(ports);
}

async function untilWhole(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const node = new Redis(port, '127.0.0.1');
    node.on('error', () => undefined);
    while (!String(await node.cluster('INFO')).includes('cluster_state:ok'));
    node.disconnect();
  }
}

async function readBusPort(node: Redis): Promise<string> {
  const nodes = String(await node.cluster('NODES'));
  return /@(\d+)/.exec(nodes)?.[1] ?? '';
}
