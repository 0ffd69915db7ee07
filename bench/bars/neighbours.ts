import { writeFileSync } from 'node:fs';
import { expectLatest } from '../checks/expected.ts';
import { defaultSizes } from '../data/sizes.ts';
import { readOptions } from '../options.ts';
import type { RunningProgram } from '../program.ts';
import { withClient } from '../servers.ts';
import { say, withSetting } from '../setting.ts';
import { redisUrl } from '../settings.ts';
import type { Attacked } from './neighbours/attack.ts';
import { attacks } from './neighbours/attacks/index.ts';
import { type OwnRedis, startOwnRedis } from './neighbours/own-redis.ts';
import { createParties } from './neighbours/parties.ts';
import { isRunning, killService, replay, startService } from './neighbours/replay.ts';

/**
 * Measures how much one caller can delay another caller. Runs one attack after the other, while a second caller, the
 * neighbour, sends plain reads. `--only NAME;NAME` selects attacks, and `--json FILE` stores the measurements.
 */
const { numbers, texts, isSmoke } = readOptions(
  { seconds: 10, slowSeconds: 10, quietSeconds: 4, rate: 50, share: 1 },
  // In a smoke run, one service serves all attacks that can share a service.
  { slowSeconds: 0.2, quietSeconds: 0.1, share: 0.01 },
  ['only', 'json'],
);
const { seconds, slowSeconds, quietSeconds, rate, share } = numbers;
const only = texts.only?.split(';');
const chosen = attacks.filter(({ name }) => only?.includes(name) ?? true);
const unknown = only?.filter((name) => attacks.every((attack) => attack.name !== name)) ?? [];
if (unknown.length > 0) throw new Error(`there is no attack ${unknown.join(', ')}`);

const portfolio = 200;
const sizes = {
  ...defaultSizes,
  companies: 250,
  requests: 0,
  loadInvestors: 1,
  points: isSmoke ? 10_000 : 200_000,
  longHistories: isSmoke ? 2 : 50,
};

await withSetting(sizes, async (setting) => {
  const [investor] = setting.world.underLoad;
  const expected = await expectLatest(setting.databaseUrl, investor.companies);
  const companies = await readCompanies(setting.databaseUrl);
  const results: Attacked[] = [];
  let ownRedis: OwnRedis | undefined;
  let service: RunningProgram | undefined;
  let serviceRedis = '';
  try {
    for (const attack of chosen) {
      if (attack.needsOwnRedis) ownRedis ??= await startOwnRedis();
      const neededRedis = attack.needsOwnRedis && ownRedis ? ownRedis.url : redisUrl;
      const isUsual = attack.environment === undefined && serviceRedis === neededRedis;
      if (service && !(isSmoke && isRunning(service) && isUsual)) {
        await killService(service);
        service = undefined;
      }
      service ??= await startService(setting, neededRedis, attack.environment);
      serviceRedis = attack.environment === undefined ? neededRedis : '';
      const result = await replay(attack, {
        setting,
        service,
        world: {
          port: service.port,
          databaseUrl: setting.databaseUrl,
          redisUrl: neededRedis,
          parties: await createParties(setting.databaseUrl, companies),
          atMost: (count) => Math.max(1, Math.round(count * share)),
        },
        neighbour: { key: investor.key.secret, expected, rate },
        seconds,
        slowSeconds,
        quietSeconds,
      });
      results.push(result);
      report(result);
    }
  } finally {
    if (service) await killService(service);
    await ownRedis?.stop();
  }
  if (texts.json !== undefined) writeFileSync(texts.json, JSON.stringify(results));
  if (results.some(({ checks }) => checks.some(({ passed }) => !passed))) process.exitCode = 1;
});

/** Returns the companies of the portfolio. Companies with long histories come first. */
async function readCompanies(databaseUrl: string): Promise<string[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query('select id from company order by id limit $1', [portfolio]),
  );
  return rows.map(({ id }) => id);
}

function report({ name, quiet, attacked, memory, points, rows, crews, checks }: Attacked): void {
  say(
    `${name}: worst ${attacked.worst.toFixed(0)} ms, p99 ${attacked.p99.toFixed(0)}, ` +
      `p50 ${attacked.p50.toFixed(1)} against ${quiet.p50.toFixed(1)}, ` +
      `${memory.before} → ${memory.peak} MiB, ${points} points, ${JSON.stringify(rows)}`,
  );
  for (const crew of crews) say(`  ${JSON.stringify(crew)}`);
  for (const { what, measured, most, passed } of checks) {
    if (!passed)
      say(`  missed: ${what}: ${measured}, ${most === null ? 'none' : `at most ${most}`}`);
  }
}
