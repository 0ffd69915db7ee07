import { setTimeout as wait } from 'node:timers/promises';
import { withClient } from '../support/postgres-server.ts';
import type { Cluster, Machine } from './cluster.ts';
import { type Peer, whyNoClocks, whyNoDelay } from './hosts.ts';
import type { Load } from './load.ts';

/** A fault of a cluster under load. */
export interface Scenario {
  readonly name: string;
  /** True if the primary fails or loses a link. These scenarios have more rounds. */
  readonly isLoss: boolean;
  /** Returns null if the scenario can run here, otherwise the reason. */
  readonly whyNot?: () => Promise<string | null>;
  /** Resolves once the fault has an effect. Returns the function that ends the fault. */
  readonly begin: (cluster: Cluster, load: Load) => Promise<() => Promise<void>>;
}

/** After this many reads, each caller has noticed the fault. */
const felt = 32;
/** Every program notices a fault in this time: the manager's time-to-live plus the interval of its checks. */
const millisecondsToNotice = 25_000;

const untilNoticed = (): Promise<void> => wait(millisecondsToNotice);

/** Breaks the current primary and waits for another one. */
const ofPrimary = (
  what: string,
  breakIt: (cluster: Cluster, primary: Machine) => Promise<unknown>,
  mend: (cluster: Cluster, primary: Machine) => Promise<void>,
): Scenario => ({
  name: `the primary ${what}`,
  isLoss: true,
  async begin(cluster, load) {
    const primary = await cluster.findPrimary();
    await breakIt(cluster, primary);
    await cluster.untilAnother(primary);
    // These changes don't exist in the old primary when it returns.
    await load.served();
    await load.more(10 * felt);
    return () => mend(cluster, primary);
  },
});

/** The primary keeps its callers, but loses its standbys and etcd, so nothing confirms its commits or its role. */
const cutOffFromOthers = async (
  { data, etcd, network }: Cluster,
  primary: Machine,
): Promise<void> => {
  for (const other of [...data, ...etcd]) {
    if (other !== primary) await network.cut(primary.host, other.host);
  }
};

const mendLinks = ({ network }: Cluster) => network.mend();

const cutAll = (ways: 'in' | 'out' | 'both') => async (cluster: Cluster, machine: Machine) => {
  const others = [...cluster.machines.filter((other) => other !== machine)];
  for (const other of [...others, cluster.network.machine]) {
    if (ways !== 'out') await cluster.network.cut(other, machine.host, 'one way');
    if (ways !== 'in') await cluster.network.cut(machine.host, other, 'one way');
  }
};

type Find = (cluster: Cluster) => Promise<Machine> | Machine;

const standbys = async (cluster: Cluster): Promise<readonly Machine[]> => {
  const primary = await cluster.findPrimary();
  return cluster.data.filter((machine) => machine !== primary);
};

const at = (machines: readonly Machine[], index: number) => machines[index] as Machine;

const standby: Find = async (cluster) => at(await standbys(cluster), 0);

const hostsOf = (machines: readonly Machine[]) =>
  [at(machines, 0).host, at(machines, 1).host] as const;

const others: readonly (readonly [string, Find])[] = [
  ['a standby', standby],
  ...[0, 1, 2].map((index): [string, Find] => [`etcd${index + 1}`, ({ etcd }) => at(etcd, index)]),
  ...[0, 1, 2].map((index): [string, Find] => [
    `redis${index + 1}`,
    ({ redis }) => at(redis, index),
  ]),
  ...[0, 1].map((index): [string, Find] => [
    `service${index + 1}`,
    ({ services }) => at(services, index),
  ]),
  ['the balancer', ({ balancer }) => balancer],
];

const killed = ([name, find]: readonly [string, Find]): Scenario => ({
  name: `${name} killed`,
  isLoss: false,
  async begin(cluster) {
    const machine = await find(cluster);
    await machine.kill();
    await untilNoticed();
    return () => machine.restart();
  },
});

const stopped = ([name, find]: readonly [string, Find]): Scenario => ({
  name: `${name} stopped and woken`,
  isLoss: false,
  async begin(cluster) {
    const machine = await find(cluster);
    await machine.stop();
    await untilNoticed();
    return () => machine.wake();
  },
});

const links: readonly (readonly [string, (cluster: Cluster) => Promise<readonly [Peer, Peer]>])[] =
  [
    [
      'the primary and a standby',
      async (cluster) => [(await cluster.findPrimary()).host, (await standby(cluster)).host],
    ],
    [
      'the primary and the balancer',
      async (cluster) => [(await cluster.findPrimary()).host, cluster.balancer.host],
    ],
    [
      'the primary and etcd1',
      async (cluster) => [(await cluster.findPrimary()).host, at(cluster.etcd, 0).host],
    ],
    ['the two standbys', async (cluster) => hostsOf(await standbys(cluster))],
    [
      'a standby and the balancer',
      async (cluster) => [(await standby(cluster)).host, cluster.balancer.host],
    ],
    [
      'a standby and etcd1',
      async (cluster) => [(await standby(cluster)).host, at(cluster.etcd, 0).host],
    ],
    ['etcd1 and etcd2', async ({ etcd }) => hostsOf(etcd)],
    ['redis1 and redis2', async ({ redis }) => hostsOf(redis)],
    [
      'service1 and the balancer',
      async ({ services, balancer }) => [at(services, 0).host, balancer.host],
    ],
    [
      'service1 and redis1',
      async ({ services, redis }) => [at(services, 0).host, at(redis, 0).host],
    ],
  ];

const cutLinks: readonly Scenario[] = links.flatMap(([name, find]) =>
  (['one way', 'both ways'] as const).map(
    (ways): Scenario => ({
      name: `${name} cut ${ways}`,
      isLoss: name.startsWith('the primary'),
      async begin(cluster) {
        const [from, to] = await find(cluster);
        await cluster.network.cut(from, to, ways);
        await untilNoticed();
        return () => mendLinks(cluster);
      },
    }),
  ),
);

/** Each restart waits until the whole cluster works again. */
const renewed = (name: string, renew: (cluster: Cluster) => Promise<void>): Scenario => ({
  name: `a rolling restart of ${name}`,
  isLoss: false,
  async begin(cluster, load) {
    await renew(cluster);
    await load.more(felt);
    return async () => undefined;
  },
});

async function renewEach(cluster: Cluster, machines: readonly Machine[]): Promise<void> {
  for (const machine of machines) {
    await machine.renew();
    await cluster.untilWhole();
  }
}

async function renewDatabase(cluster: Cluster): Promise<void> {
  const primary = await cluster.findPrimary();
  await renewEach(cluster, await standbys(cluster));
  await cluster.switchOver();
  await renewEach(cluster, [primary]);
}

/** Restarts the programs that use the clocks. If one of them is the primary, another server takes over first. */
async function setClocks(
  cluster: Cluster,
  clocks: readonly (readonly [Machine, seconds: number])[],
): Promise<void> {
  for (const [machine, seconds] of clocks) {
    if ((await cluster.findPrimary()) === machine) await cluster.switchOver();
    machine.host.clock = seconds;
    await machine.renew();
    await cluster.untilWhole();
  }
}

const tenMinutes = 600;

const secondsAheadOf = (databaseUrl: string): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query('select extract(epoch from clock_timestamp()) as seconds');
    return Number(rows[0]?.seconds) - Date.now() / 1000;
  });

export const scenarios: readonly Scenario[] = [
  ofPrimary(
    'killed',
    (_, primary) => primary.kill(),
    (_, primary) => primary.restart(),
  ),
  ofPrimary(
    'stopped and woken',
    (_, primary) => primary.stop(),
    (_, primary) => primary.wake(),
  ),
  // The manager believes that its server still leads. It steps down only when PostgreSQL answers again.
  ofPrimary(
    'with a PostgreSQL that hangs',
    (_, primary) => primary.stop('postgres'),
    (_, primary) => primary.wake(),
  ),
  // Without a watchdog, PostgreSQL continues to run, and only the manager could report that it no longer leads.
  ofPrimary(
    'with a manager that hangs',
    (_, primary) => primary.stop('python'),
    (_, primary) => primary.wake(),
  ),
  ofPrimary('cut off', cutAll('both'), mendLinks),
  ofPrimary(
    'cut off from etcd',
    async ({ etcd, network }, primary) => {
      for (const other of etcd) await network.cut(primary.host, other.host);
    },
    mendLinks,
  ),
  ofPrimary('cut off from the other servers and etcd', cutOffFromOthers, mendLinks),
  ofPrimary('that receives no packets', cutAll('in'), mendLinks),
  ofPrimary('whose packets all get lost', cutAll('out'), mendLinks),
  ...others.map(killed),
  ...others.map(stopped),
  ...cutLinks,
  renewed('the service', (cluster) => renewEach(cluster, cluster.services)),
  renewed('the database', renewDatabase),
  renewed('Redis', (cluster) => renewEach(cluster, cluster.redis)),
  {
    name: 'clocks ten minutes apart',
    isLoss: false,
    whyNot: whyNoClocks,
    async begin(cluster, load) {
      const { services } = cluster;
      const [one, other] = (await standbys(cluster)) as [Machine, Machine];
      const apart = [
        ...[one, at(services, 0)].map((machine) => [machine, tenMinutes] as const),
        ...[other, at(services, 1)].map((machine) => [machine, -tenMinutes] as const),
      ];
      await setClocks(cluster, apart);
      // The new primary's clock differs from the old primary's clock.
      await cluster.switchOver();
      const primary = cluster.serverUrl(await cluster.findPrimary());
      if (Math.abs(await secondsAheadOf(primary)) < tenMinutes / 2)
        throw new Error('the clock of the primary is not another one');
      await load.more(20 * felt);
      return () =>
        setClocks(
          cluster,
          apart.map(([machine]) => [machine, 0]),
        );
    },
  },
  {
    name: 'the disk of the primary full',
    isLoss: false,
    async begin(cluster) {
      const { host } = await cluster.findPrimary();
      await host.fillDisk();
      await untilNoticed();
      return () => host.freeDisk();
    },
  },
  {
    name: 'fifty milliseconds between any two',
    isLoss: false,
    whyNot: whyNoDelay,
    async begin({ network }) {
      await network.delay(50);
      await untilNoticed();
      return () => network.delay(0);
    },
  },
  {
    name: 'one packet in a hundred lost',
    isLoss: false,
    async begin({ network }) {
      await network.lose(1);
      await untilNoticed();
      return () => network.mend();
    },
  },
];
