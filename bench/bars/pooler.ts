import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, poolerSql } from '../../db/index.ts';
import { cpuCost, sampleCpu } from '../cpu.ts';
import { defaultSizes } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { withClient } from '../servers.ts';
import { type Setting, say, settle, withSetting } from '../setting.ts';
import { median } from '../statistics.ts';
import { workloads } from '../workloads.ts';

/**
 * The service straight on PostgreSQL, and through poolers with and without the settings of its role, all on one database
 * and asked in turns. `--poolers '1.18=26432;1.25=26433'`: PgBouncers on this machine in transaction mode, before the
 * server of the bench, with auth_type = trust and the roles pooler_bench_set and pooler_bench_plain in their auth_file.
 */
const { numbers, texts } = readOptions(
  { rounds: 8, seconds: 2, warmup: 4, connections: 64, decisions: 300 },
  { rounds: 1, seconds: 1, warmup: 1, connections: 4, decisions: 20 },
  ['poolers'],
);
const { rounds, seconds, warmup, connections, decisions } = numbers;
const roles = { set: 'pooler_bench_set', plain: 'pooler_bench_plain' };

interface Route {
  readonly name: string;
  readonly url: string;
  readonly isPooled: boolean;
}

function routesTo(databaseUrl: string): Route[] {
  const through = (port: string | null, role: string) => {
    const url = new URL(databaseUrl);
    url.username = role;
    if (port !== null) url.host = `127.0.0.1:${port}`;
    return url.href;
  };
  const poolers = (texts.poolers ?? '').split(';').map((text) => text.split('='));
  return [
    { name: 'direct', url: through(null, roles.plain), isPooled: false },
    ...poolers.flatMap(([name = '', port = '']) => [
      { name: `${name}, settings`, url: through(port, roles.set), isPooled: true },
      { name: `${name}, none`, url: through(port, roles.plain), isPooled: true },
    ]),
  ];
}

const requestsFile = ({ folder }: Setting) => join(folder, 'metrics.json');

async function start({ name, url, isPooled }: Route, setting: Setting) {
  const database = await openDatabase({
    databaseUrl: url,
    isPooled,
    dataDir: '',
    role: 'service',
    onUnprepared: () => say(`${name}: prepared statements are not known`),
  });
  const pairs = setting.world.underLoad.flatMap(({ key, companies }) =>
    companies.map((companyId) => ({ keyId: key.id, companyId })),
  );
  const program = await startProgram('ours', {
    ...setting,
    databaseUrl: url,
    environment: isPooled ? { DATABASE_POOLER: 'transaction' } : {},
  });
  const load = (lasting: number) =>
    runLoad({
      port: program.port,
      requestsFile: requestsFile(setting),
      connections,
      seconds: lasting,
      rate: null,
      warmupSeconds: 0,
    });
  let next = 0;
  const decide = async (count: number) => {
    const begunAt = performance.now();
    for (let index = 0; index < count; index += 1) {
      next += 1;
      const pair = pairs[next % pairs.length];
      if (pair) await database.repositories.accessFacts.read(pair);
    }
    return (performance.now() - begunAt) / count;
  };
  await Promise.all(Array.from({ length: 16 }, () => decide(decisions)));
  await load(warmup);
  return {
    name,
    async measure() {
      const decision = await decide(decisions);
      const before = await sampleCpu(program.pid, setting.databaseUrl);
      const { requests, requestsPerSecond, failures } = await load(seconds);
      if (requests === 0 || Object.keys(failures).length > 0) {
        throw new Error(`${name}: ${requests} answers, failures ${JSON.stringify(failures)}`);
      }
      const after = await sampleCpu(program.pid, setting.databaseUrl);
      return { decision, requestsPerSecond, postgres: cpuCost(before, after, requests)?.postgres };
    },
    async stop() {
      await program.stop();
      await database.close();
    },
  };
}

await withSetting(defaultSizes, async (setting) => {
  const onDatabase = (text: string) =>
    withClient(setting.databaseUrl, (client) => client.query(text));
  await onDatabase(
    Object.values(roles)
      .map((role) => `create role ${role} superuser login`)
      .join(';'),
  );
  const running: Awaited<ReturnType<typeof start>>[] = [];
  try {
    await onDatabase(poolerSql(roles.set));
    writeFileSync(
      requestsFile(setting),
      JSON.stringify(workloads.metrics.requests(setting.world, 'ours')),
    );
    await settle(setting.databaseUrl);
    for (const route of routesTo(setting.databaseUrl)) running.push(await start(route, setting));
    const turns = new Map(running.map(({ name }) => [name, [] as Measured[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const route of round % 2 === 0 ? running : running.toReversed()) {
        turns.get(route.name)?.push(await route.measure());
      }
    }
    const direct = turns.get('direct') ?? [];
    for (const [name, of] of turns) {
      const ratio = (read: (measured: Measured) => number) =>
        tell(of.map((measured, round) => read(measured) / read(direct[round] ?? measured)));
      process.stdout.write(
        `${name}: decision ${median(of.map(({ decision }) => decision)).toFixed(2)} ms, ratio ${ratio(({ decision }) => decision)}; ` +
          `${Math.round(median(of.map(({ requestsPerSecond }) => requestsPerSecond)))} reads/s, ratio ${ratio(({ requestsPerSecond }) => requestsPerSecond)}; ` +
          `PostgreSQL ${Math.round(median(of.map(({ postgres = Number.NaN }) => postgres)))} µs a read\n`,
      );
    }
  } finally {
    for (const { stop } of running) await stop();
    await onDatabase(
      Object.values(roles)
        .map((role) => `drop owned by ${role}; drop role ${role}`)
        .join(';'),
    );
  }
});

interface Measured {
  /** Milliseconds of one decision, one at a time. */
  readonly decision: number;
  readonly requestsPerSecond: number;
  readonly postgres: number | undefined;
}

function tell(ratios: readonly number[]): string {
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
}
