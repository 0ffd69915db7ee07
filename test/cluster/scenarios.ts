import type { Cluster, Machine } from './cluster.ts';
import { type Peer, whyNoClocks, whyNoDelay } from './hosts.ts';
import type { Load } from './load.ts';

/** What is done to a cluster under load. */
export interface Scenario {
  readonly name: string;
  /** What takes the primary away is repeated more often. */
  readonly isLoss: boolean;
  /** Null when it can be done here; otherwise why not. */
  readonly whyNot?: () => Promise<string | null>;
  /** Breaks something and resolves once it was felt, with what mends it. */
  readonly begin: (cluster: Cluster, load: Load) => Promise<() => Promise<void>>;
}

/** Breaks the primary, whichever it is, and waits for another one. */
const ofPrimary = (
  what: string,
  breakIt: (cluster: Cluster, primary: Machine) => Promise<unknown>,
  mend: (cluster: Cluster, primary: Machine) => Promise<void>,
): Scenario => ({
  name: `the primary ${what}`,
  isLoss: true,
  async begin(cluster) {
    const primary = await cluster.findPrimary();
    await breakIt(cluster, primary);
    await cluster.untilAnother(primary);
    return () => mend(cluster, primary);
  },
});

const mendLinks = ({ network }: Cluster) => network.mend();

const cutAll = (ways: 'in' | 'out' | 'both') => async (cluster: Cluster, machine: Machine) => {
  const others = [...cluster.machines.filter((other) => other !== machine)];
  for (const other of [...others, cluster.network.machine]) {
    if (ways !== 'out') await cluster.network.cut(other, machine.host, 'one way');
    if (ways !== 'in') await cluster.network.cut(machine.host, other, 'one way');
  }
};

type Find = (cluster: Cluster) => Promise<Machine> | Machine;

const standby: Find = async (cluster) => {
  const primary = await cluster.findPrimary();
  return cluster.data.find((machine) => machine !== primary) as Machine;
};

const at = (machines: readonly Machine[], index: number) => machines[index] as Machine;

/** All but the primary. The callers have no other balancer. */
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

/** Each caller has given up once on a host that says nothing. */
const felt = 32;

const killed = ([name, find]: readonly [string, Find]): Scenario => ({
  name: `${name} killed`,
  isLoss: false,
  async begin(cluster, load) {
    const machine = await find(cluster);
    await machine.kill();
    await load.more(felt);
    return () => machine.restart();
  },
});

const stopped = ([name, find]: readonly [string, Find]): Scenario => ({
  name: `${name} stopped and woken`,
  isLoss: false,
  async begin(cluster, load) {
    const machine = await find(cluster);
    await machine.stop();
    await load.more(felt);
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
      isLoss: false,
      async begin(cluster, load) {
        const [from, to] = await find(cluster);
        await cluster.network.cut(from, to, ways);
        await load.more(felt);
        return () => mendLinks(cluster);
      },
    }),
  ),
);

/** One part after the other is ended and started again, and each begins once the one before has its place again. */
const upgraded = (name: string, upgrade: (cluster: Cluster) => Promise<void>): Scenario => ({
  name: `a rolling upgrade of ${name}`,
  isLoss: false,
  async begin(cluster, load) {
    await upgrade(cluster);
    await load.more(felt);
    return async () => undefined;
  },
});

async function upgradeEach(cluster: Cluster, machines: readonly Machine[]): Promise<void> {
  for (const machine of machines) {
    await machine.renew();
    await cluster.untilWhole();
  }
}

async function upgradeDatabase(cluster: Cluster): Promise<void> {
  const primary = await cluster.findPrimary();
  await upgradeEach(
    cluster,
    cluster.data.filter((machine) => machine !== primary),
  );
  await cluster.switchOver();
  await upgradeEach(cluster, [primary]);
}

/** Sets clocks by starting what goes by them anew; the primary hands over first. */
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
  ofPrimary('cut off', cutAll('both'), mendLinks),
  ofPrimary('hearing nobody', cutAll('in'), mendLinks),
  ofPrimary('heard by nobody', cutAll('out'), mendLinks),
  ...others.map(killed),
  ...others.map(stopped),
  ...cutLinks,
  upgraded('the service', (cluster) => upgradeEach(cluster, cluster.services)),
  upgraded('the database', upgradeDatabase),
  upgraded('Redis', (cluster) => upgradeEach(cluster, cluster.redis)),
  {
    name: 'clocks ten minutes apart',
    isLoss: false,
    whyNot: whyNoClocks,
    async begin(cluster, load) {
      const { services, data } = cluster;
      const primary = await cluster.findPrimary();
      const [one, other] = data.filter((machine) => machine !== primary) as [Machine, Machine];
      const apart = [
        ...[one, at(services, 0)].map((machine) => [machine, tenMinutes] as const),
        ...[other, at(services, 1)].map((machine) => [machine, -tenMinutes] as const),
      ];
      await setClocks(cluster, apart);
      // To a server whose clock is another one.
      await cluster.switchOver();
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
    async begin(cluster, load) {
      const { host } = await cluster.findPrimary();
      await host.fillDisk();
      await load.more(4 * felt);
      return () => host.freeDisk();
    },
  },
  {
    name: 'fifty milliseconds between any two',
    isLoss: false,
    whyNot: whyNoDelay,
    async begin({ network }, load) {
      await network.delay(50);
      await load.more(4 * felt);
      return () => network.delay(0);
    },
  },
  {
    name: 'one packet in a hundred lost',
    isLoss: false,
    async begin({ network }, load) {
      await network.lose(1);
      await load.more(20 * felt);
      return () => network.mend();
    },
  },
];
