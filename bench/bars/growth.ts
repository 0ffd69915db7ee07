import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { openConnections } from '../../db/connections.ts';
import { openDatabase } from '../../db/index.ts';
import { genericPlans } from '../../db/prepared-statements.ts';
import { statements as consent } from '../../db/repositories/access-facts-reader.ts';
import { statements as data } from '../../db/repositories/company-data.ts';
import { sql } from '../../db/store.ts';
import { fill } from '../data/fill.ts';
import { createRandom } from '../data/random.ts';
import { defaultSizes, type Sizes } from '../data/sizes.ts';
import type { World } from '../data/world.ts';
import { describeMachine } from '../machine.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { writeReport } from '../report/index.ts';
import { type Growth, writeResult } from '../results.ts';
import { createDatabase, requireServers } from '../servers.ts';
import { say, seed } from '../setting.ts';
import { median } from '../statistics.ts';

/**
 * What a decision and a read of the latest metrics cost in a small and in a large database, measured in turn: the
 * statements of a read by REST through the product's own repositories, one question at a time and 32 at once.
 */
const { numbers, out, isSmoke } = readOptions(
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
  readonly sizes: Sizes;
  readonly world: World;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

await requireServers();
const machine = await describeMachine();
const stages: Stage[] = [];
try {
  stages.push(await prepare(numbers.smallRequests, numbers.smallPoints));
  stages.push(await prepare(numbers.largeRequests, numbers.largePoints));
  const costs = stages.map(() => new Map<string, { p50: number[]; p90: number[] }>());
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, stage] of stages.entries()) {
      const measured = await measure(stage, seed + round);
      for (const [what, times] of Object.entries(measured)) {
        times.sort((a, b) => a - b);
        const at = (share: number) => times[Math.floor(share * times.length)] ?? Number.NaN;
        const cost = costs[index]?.getOrInsertComputed(what, () => ({ p50: [], p90: [] }));
        cost?.p50.push(at(0.5));
        cost?.p90.push(at(0.9));
        say(`round ${round}, stage ${index + 1}, ${what}: ${at(0.5).toFixed(0)} µs`);
      }
    }
  }
  const result: Growth = {
    machine,
    command: ['node bench/bars/growth.ts', ...process.argv.slice(2)].join(' '),
    isSmoke,
    samples: samples * rounds,
    stages: await Promise.all(
      stages.map(async (stage, index) => {
        const pages = await countPages(stage);
        return {
          requests: stage.sizes.requests,
          points: stage.sizes.points,
          costs: [...(costs[index] ?? [])].map(([what, { p50, p90 }]) => ({
            what,
            p50: median(p50),
            p90: median(p90),
            pages: pages[what] ?? Number.NaN,
          })),
        };
      }),
    ),
  };
  writeResult(out, 'growth', result);
  say(`the report is in ${writeReport(out)}`);
} finally {
  for (const { drop } of stages) await drop();
}

async function prepare(requests: number, points: number): Promise<Stage> {
  const { url, drop } = await createDatabase();
  try {
    migrate(url);
    const sizes = { ...defaultSizes, ...fixed, requests, points };
    const startedAt = Date.now();
    const world = await fill(url, seed, sizes);
    say(`${requests} requests, ${points} points: ${Math.round((Date.now() - startedAt) / 1000)} s`);
    return { sizes, world, url, drop };
  } catch (error) {
    await drop();
    throw error;
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
  const warmup = Math.ceil(samples / 4);
  const questions = questionsOf(world, warmup + samples, ofSeed);
  const busyQuestions = questions.map((_, index) => questions[index % busyPairs] as Question);
  const one = async (ask: (question: Question) => Promise<unknown>) => {
    const times: number[] = [];
    for (const question of questions) {
      const startedAt = performance.now();
      await ask(question);
      times.push((performance.now() - startedAt) * 1_000);
    }
    return times.slice(warmup);
  };
  const many = async (ask: (question: Question) => Promise<unknown>, about = questions) => {
    const times: number[] = [];
    for (let start = 0; start + atOnce <= about.length; start += atOnce) {
      const startedAt = performance.now();
      await Promise.all(about.slice(start, start + atOnce).map(ask));
      times.push(((performance.now() - startedAt) * 1_000) / atOnce);
    }
    return times.slice(Math.ceil(times.length / 5));
  };
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

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** What does not depend on how busy the machine is: the pages that the statements touch. */
async function countPages({ world, url }: Stage): Promise<Record<string, number>> {
  const { orm, close } = openConnections(
    { url },
    {
      connections: 1,
      acquireMilliseconds: 5_000,
      statementMilliseconds: null,
      server: genericPlans,
      onError() {},
    },
  );
  const explain = async (statement: ReturnType<typeof sql>): Promise<number> => {
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>`
      explain (analyze, buffers, format json) ${statement}`.execute(orm.em.getKysely());
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    return (plan?.['Shared Hit Blocks'] ?? Number.NaN) + (plan?.['Shared Read Blocks'] ?? 0);
  };
  const questions = questionsOf(world, atOnce, seed);
  const companies = [...new Set(questions.map(({ companyId }) => companyId))];
  try {
    const ofDecisions = (await explain(consent.keysAndAccessFacts(questions))) / atOnce;
    return {
      [names.decision]: await explain(consent.keysAndAccessFacts(questions.slice(0, 1))),
      [names.busyDecisions]: ofDecisions,
      [names.decisions]: ofDecisions,
      [names.metrics]: await explain(data.latestMetrics(companies.slice(0, 1))),
      [names.manyMetrics]: (await explain(data.latestMetrics(companies))) / companies.length,
    };
  } finally {
    await close();
  }
}
