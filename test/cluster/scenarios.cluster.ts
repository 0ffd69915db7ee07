import { afterAll, beforeAll, describe, expect, inject, onTestFailed, test } from 'vitest';
import { rounds } from '../faults/support/rounds.ts';
import { Cluster, type Replication, readPatroniVersion, whyNoCluster } from './cluster.ts';
import { createActors, Load, type Seen } from './load.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const whyNot = await whyNoCluster();
if (whyNot !== null) console.error(`SKIPPED: a cluster on several hosts: ${whyNot}`);

const replication = (process.env.CLUSTER_REPLICATION ?? 'quorum') as Replication;

/** If the cluster is configured to lose data, the test expects its checks to find the lost data. */
const expectsLosses = process.env.CLUSTER_EXPECTS === 'losses';

const possible: Scenario[] = [];
for (const scenario of scenarios) {
  const reason = whyNot === null ? ((await scenario.whyNot?.()) ?? null) : null;
  if (reason === null) possible.push(scenario);
  else console.error(`SKIPPED: a cluster with ${scenario.name}: ${reason}`);
}

/** Scenarios that keep the primary run three rounds for every twenty of those that lose it. */
const partOfOthers = 3 / 20;

// Vitest shortens test names that come from an object, and a filter needs the whole name.
const runs = possible.flatMap((scenario) =>
  Array.from(
    { length: Math.ceil(rounds(2) * (scenario.isLoss ? 1 : partOfOthers)) },
    (_, index) => [scenario.name, index + 1, scenario] as const,
  ),
);

/** In seconds: three times the duration of a failover with Patroni's minimum time-to-live. */
const secondsRefused = 75;

describe.skipIf(whyNot !== null)('a cluster under load', () => {
  let cluster: Cluster;
  let version: string;

  beforeAll(async () => {
    version = await readPatroniVersion();
    cluster = await Cluster.start(replication, inject('signingKeyFile'));
  }, 600_000);
  afterAll(() => cluster?.close());

  test.each(runs)(
    'loses no acknowledged change and returns no stale data with %s, round %i',
    { timeout: 600_000 },
    async (name, _, { begin }) => {
      // Each round begins with a complete cluster and new pairs, whatever the result of the last round.
      await cluster.repair();
      const actors = await createActors(cluster.databaseUrl(), inject('signingKeyFile'));
      const load = new Load(cluster.url, actors);
      let seen: Seen;
      let back: number;
      onTestFailed(async () => console.error(await cluster.log()));
      try {
        await load.more(100);
        const faultAt = performance.now();
        const mend = await begin(cluster, load);
        await mend();
        const mendedAt = performance.now();
        await load.served();
        back = Math.round((performance.now() - mendedAt) / 100) / 10;
        await cluster.untilWhole();
        await load.more(400);
        seen = await load.finish(cluster.serverUrl(await cluster.findPrimary()), faultAt);
      } finally {
        await load.stop();
      }
      console.log(
        `Patroni ${version}, ${replication}: ${name}: ${JSON.stringify({ ...seen, back })}`,
      );
      if (expectsLosses) {
        const stale = Object.values(seen.stale).length;
        return expect(seen.lost + seen.unrecorded + stale).toBeGreaterThan(0);
      }
      const {
        answers,
        changes,
        whileRevoked: _all,
        sinceFault,
        refused,
        outages: _outages,
        ...wrong
      } = seen;
      expect(wrong).toEqual({
        ...{ stale: {}, unforeseen: {}, skipped: {}, doubled: {}, gone: {} },
        ...{ unrecorded: 0, lost: 0, contradictions: 0, disordered: 0, unnumbered: 0 },
      });
      expect(answers).toBeGreaterThan(100);
      expect(changes).toBeGreaterThan(0);
      expect(sinceFault).toBeGreaterThan(0);
      expect(Math.max(...Object.values(refused))).toBeLessThan(secondsRefused);
    },
  );
});
