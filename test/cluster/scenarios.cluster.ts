import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Actor } from '../faults/support/actors.ts';
import { rounds } from '../faults/support/rounds.ts';
import { Cluster, type Replication, readPatroniVersion, whyNoCluster } from './cluster.ts';
import { createActors, Load, type Seen } from './load.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const whyNot = await whyNoCluster();
if (whyNot !== null) console.error(`SKIPPED: a cluster on several hosts: ${whyNot}`);

const replication = (process.env.CLUSTER_REPLICATION ?? 'quorum') as Replication;

const possible: Scenario[] = [];
for (const scenario of scenarios) {
  const reason = whyNot === null ? ((await scenario.whyNot?.()) ?? null) : null;
  if (reason === null) possible.push(scenario);
  else console.error(`SKIPPED: a cluster with ${scenario.name}: ${reason}`);
}

const runs = possible.flatMap((scenario) =>
  Array.from({ length: rounds(scenario.isLoss ? 2 : 1) }, (_, index) => ({
    ...scenario,
    round: index + 1,
  })),
);

describe.skipIf(whyNot !== null)('a cluster under load', () => {
  let cluster: Cluster;
  let actors: Actor[];
  let version: string;

  beforeAll(async () => {
    version = await readPatroniVersion();
    const signingKeyFile = inject('signingKeyFile');
    cluster = await Cluster.start(replication, signingKeyFile);
    actors = await createActors(cluster.databaseUrl(), signingKeyFile);
  }, 600_000);
  afterAll(() => cluster?.close());

  test.each(runs)(
    'keeps its promises with $name, round $round',
    { timeout: 600_000 },
    async ({ name, begin }) => {
      // It begins whole, whatever became of the one before.
      await cluster.untilWhole();
      const load = new Load(cluster.url, actors);
      let seen: Seen;
      try {
        await load.more(100);
        const mend = await begin(cluster, load);
        await mend();
        await load.served();
        await cluster.untilWhole();
        await load.more(100);
        seen = await load.finish(cluster.serverUrl(await cluster.findPrimary()));
      } finally {
        await load.stop();
      }
      console.log(`Patroni ${version}, ${replication}: ${name}: ${JSON.stringify(seen)}`);
      const { answers, changes, refused, outages, ...wrong } = seen;
      expect(wrong).toEqual({
        ...{ stale: {}, unforeseen: {}, skipped: {}, doubled: {} },
        ...{ unrecorded: 0, lost: 0, contradictions: 0 },
      });
      expect(answers).toBeGreaterThan(100);
      expect(changes).toBeGreaterThan(0);
      expect(Object.keys(refused)).toHaveLength(3);
      expect(outages).toBeDefined();
    },
  );
});
