import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../faults/support/until.ts';
import { endProcess, findFreePort, startRedisServer } from './redis.ts';

export interface TestRedisCluster {
  readonly url: string;
  kill(node: number): Promise<void>;
  /** The node keeps its slots, but loses its counts. Resolves once the cluster is complete. */
  revive(node: number): Promise<void>;
  stop(): Promise<void>;
}

const slots = 16_384;

/** Three nodes with a third of the slots each. Prints a message and returns null if Redis isn't installed. */
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
  const addresses = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  await joinNodes(addresses);
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
      await untilWhole(addresses);
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
  // The default bus port, 10,000 above the port, can be too high.
  ...['--cluster-port', String(busPort)],
  // With a shorter timeout, the nodes lose each other on a busy machine.
  ...['--cluster-node-timeout', '30000'],
];

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Waits until all nodes agree on the slots. */
export async function joinNodes(addresses: readonly Address[]): Promise<void> {
  const nodes = addresses.map(({ host, port }) => connect(host, port));
  const share = Math.ceil(slots / nodes.length);
  const busPorts = await Promise.all(nodes.map(readBusPort));
  for (const [index, node] of nodes.entries()) {
    const last = Math.min(slots, (index + 1) * share) - 1;
    await node.cluster('ADDSLOTSRANGE', index * share, last);
    const { host = '', port = 0 } = addresses[index] ?? {};
    await nodes[0]?.call('CLUSTER', 'MEET', host, String(port), busPorts[index] ?? '');
  }
  for (const node of nodes) node.disconnect();
  await untilWhole(addresses);
}

export async function untilWhole(addresses: readonly Address[]): Promise<void> {
  for (const { host, port } of addresses) {
    const node = connect(host, port);
    await until(async () => {
      const info = String(await node.cluster('INFO'));
      return info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${slots}`);
    }, 60_000);
    node.disconnect();
  }
}

function connect(host: string, port: number): Redis {
  const node = new Redis(port, host, { maxRetriesPerRequest: null });
  return node.on('error', () => undefined);
}

async function readBusPort(node: Redis): Promise<string> {
  const nodes = String(await node.cluster('NODES'));
  return /@(\d+)/.exec(nodes)?.[1] ?? '';
}
