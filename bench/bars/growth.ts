import { createHash } from 'node:crypto';
import { openDatabase } from '../../db/index.ts';
import { fill } from '../data/fill.ts';
import { createRandom } from '../data/random.ts';
import { defaultSizes } from '../data/sizes.ts';
import type { World } from '../data/world.ts';
import { readOptions } from '../options.ts';
import { say, seed, withDatabase } from '../setting.ts';
import { median } from '../statistics.ts';

/**
 * What a decision and a read of the latest metrics cost in a small and in a large database, measured in turn: the
 * statements of a read by REST through the product's own repositories, one question at a time and 32 at once.
 */
const { numbers, isSmoke } = readOptions(
  {
    smallRequests: 10_000,
    largeRequests: 1_000_000,
    smallPoints: 500_000,
    largePoints: 10_000_000,
    samples: 4_000,
    rounds: 5,
  },
  { largeRequests: 30_000, smallPoints: 50_000, largePoints: 150_000, samples: 500, rounds: 2 },
);
const { samples, rounds } = numbers;
/** As many companies in both, so that it is their histories that grow. */
const fixed = { companies: 330, longHistories: 0, loadInvestors: 20 };
const atOnce = 32;
/** How much more each may cost in the large one. */
const bar = 1.3;
/** Pairs that are asked about again and again: what they touch stays near the processor, however large the tables. */
const busyPairs = 30;

const names = {
  decision: 'a decision',
  busyDecisions: `${atOnce} decisions at once about ${busyPairs} pairs, for each`,
  decisions: `${atOnce} decisions at once about pairs all over the tables, for each`,
  metrics: 'the latest metrics of a company',
  manyMetrics: `the latest metrics of ${atOnce} companies at once, for each`,
};

interface Question {
  readonly digest: string;
  readonly companyId: string;
  readonly now: Date;
}

interface Stage {
  readonly world: World;
  readonly url: string;
  readonly costs: Map<string, number[]>;
}

const withStage = (requests: number, points: number, work: (stage: Stage) => Promise<void>) =>
  withDatabase(async ({ url }) => {
    const startedAt = Date.now();
    const world = await fill(url, seed, { ...defaultSizes, ...fixed, requests, points });
    say(`${requests} requests, ${points} points: ${Math.round((Date.now() - startedAt) / 1000)} s`);
    await work({ world, url, costs: new Map() });
  });

await withStage(numbers.smallRequests, numbers.smallPoints, (small) =>
  withStage(numbers.largeRequests, numbers.largePoints, (large) => compare([small, large])),
);

async function compare(stages: readonly Stage[]): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    for (const stage of stages) {
      for (const [what, times] of Object.entries(await measure(stage, seed + round))) {
        stage.costs.getOrInsertComputed(what, () => []).push(median(times));
      }
    }
  }
  for (const what of Object.values(names)) {
    const [small = Number.NaN, large = Number.NaN] = stages.map(({ costs }) =>
      median(costs.get(what) ?? []),
    );
    say(`${what}: ${small.toFixed(0)} → ${large.toFixed(0)} µs, ${(large / small).toFixed(2)}×`);
    // A smoke run shows that the script works; its times tell nothing.
    if (!isSmoke && !(large / small <= bar)) process.exitCode = 1;
  }
}

/** Questions about pairs all over the tables, whether or not they were asked about lately. */
function questionsOf({ everyone }: World, count: number, ofSeed: number): Question[] {
  const random = createRandom(ofSeed);
  return Array.from({ length: count }, () => {
    const { key, companies } = random.pick(everyone);
    const digest = createHash('sha256').update(key.secret).digest('hex');
    return { digest, companyId: random.pick(companies), now: new Date() };
  });
}

/** Round trips in microseconds, the first ones, which warm up, left out. */
async function measure({ world, url }: Stage, ofSeed: number): Promise<Record<string, number[]>> {
  const database = await openDatabase({ databaseUrl: url, dataDir: '', role: 'service' });
  const { accessFacts: reader, companyData } = database.repositories;
  const questions = questionsOf(world, Math.ceil((samples * 5) / 4), ofSeed);
  const busyQuestions = questions.map((_, index) => questions[index % busyPairs] as Question);
  const many = async (
    ask: (question: Question) => Promise<unknown>,
    about = questions,
    size = atOnce,
  ) => {
    const times: number[] = [];
    for (let start = 0; start + size <= about.length; start += size) {
      const startedAt = performance.now();
      await Promise.all(about.slice(start, start + size).map(ask));
      times.push(((performance.now() - startedAt) * 1_000) / size);
    }
    return times.slice(Math.ceil(times.length / 5));
  };
  const one = (ask: (question: Question) => Promise<unknown>) => many(ask, questions, 1);
  const metricsOf = ({ companyId }: { companyId: string }) =>
    companyData.latestMetrics({
      companyId,
      dataVersion: '1',
      environment: 'live',
      publicKeyUrl: '',
    });
  try {
    return {
      [names.decision]: await one((question) => reader.authenticate(question)),
      [names.busyDecisions]: await many((question) => reader.authenticate(question), busyQuestions),
      [names.decisions]: await many((question) => reader.authenticate(question)),
      [names.metrics]: await one(metricsOf),
      [names.manyMetrics]: await many(metricsOf),
    };
  } finally {
    await database.close();
  }
}
