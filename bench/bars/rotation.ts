import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { createRandom } from '../data/random.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { type RunningProgram, startProgram } from '../program.ts';
import { createDatabase, requireServers } from '../servers.ts';
import { seed } from '../setting.ts';
import { redisUrl } from '../settings.ts';
import { importValues, makePair, type Pair } from './rotation/parties.ts';
import { kidsIn, ServedKeys } from './rotation/served-keys.ts';

/**
 * The signing key is rotated again and again, and keys that nothing depends on are retired, while two processes answer
 * reads, change access requests and sign their receipts, and values are imported. After each answer the keys are asked
 * for, from either process: all that signed anything in the answer must be there. With `--once` they are asked for
 * once and kept: then some must be missing, or this would prove nothing.
 */
const isOnce = process.argv.includes('--once');
process.argv = process.argv.filter((argument) => argument !== '--once');
const { numbers } = readOptions(
  { rotations: 1_000, pause: 20, readers: 8, changers: 4, importers: 2 },
  { rotations: 20, readers: 4, changers: 2, importers: 1 },
);
const random = createRandom(seed);

await requireServers();
const database = await createDatabase();
const folder = mkdtempSync(join(tmpdir(), 'bench-rotation-'));
const environment = { SIGNING_KEY_FILE: join(folder, 'signing-key.json') };
const limiter = createRateLimiter({ points: 1_000_000, windowSeconds: 60, redisUrls: null });
const processes: RunningProgram[] = [];
const seen = {
  rotations: 0,
  reads: 0,
  changes: 0,
  imports: 0,
  signedValues: 0,
  retired: 0,
  inUse: 0,
  checkedAnswers: 0,
  checkedKeys: 0,
  missingKeys: 0,
  differentKeys: 0,
};
const failures: Record<string, number> = {};
const kids = new Set<string>();
const served = new ServedKeys();
let isOver = false;
let firstKeys: Promise<ReadonlySet<string>> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}
try {
  migrate(database.url);
  const operator = await openOperator();
  await operator.operatorUseCases.rotateSigningKey();
  for (const name of ['first', 'second']) {
    const options = { databaseUrl: database.url, redisUrl, role: name, logFolder: folder };
    processes.push(await startProgram('ours', { ...options, environment }));
  }
  const startedAt = performance.now();
  await run(operator);
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(processes.map((running) => running.stop()));
  await operator.database.close();
  seen.differentKeys = kids.size;
  process.stdout.write(
    `${JSON.stringify({ isOnce, ...numbers, ...seen, seconds, failures }, null, 2)}\n`,
  );
  const isShort = seen.rotations < numbers.rotations || seen.reads === 0 || seen.changes === 0;
  if (isShort || seen.missingKeys > 0 || Object.keys(failures).length > 0) process.exitCode = 1;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  for (const { child } of processes) child.kill('SIGKILL');
  limiter.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}

function openOperator(): Promise<Composition> {
  return compose(readConfig({ DATABASE_URL: database.url, ...environment }), {
    role: 'command',
    rateLimiter: limiter,
    onError: () => undefined,
    onSigningKeyProblem: (problem) => fail(problem),
  });
}

async function run(operator: Composition): Promise<void> {
  const pairs = await Promise.all(
    Array.from({ length: numbers.changers + numbers.importers }, () => makePair(operator)),
  );
  for (const pair of pairs) {
    await importValues(operator, pair, 0);
    await approve(pair);
  }
  const changed = pairs.slice(0, numbers.changers);
  const imported = pairs.slice(numbers.changers);
  const working = [
    ...Array.from({ length: numbers.readers }, () => repeat(() => read(random.pick(pairs)))),
    ...changed.map((pair) => repeat(() => change(pair))),
    ...imported.map((pair, index) => repeat((round) => importOnce(operator, pair, round + index))),
  ];
  await rotate(operator);
  // On a busy machine the rotations may be over before the first change.
  while (seen.reads === 0 || seen.changes === 0) await wait(numbers.pause);
  isOver = true;
  await Promise.all(working);
}

async function repeat(work: (round: number) => Promise<void>): Promise<void> {
  for (let round = 1; !isOver; round += 1) {
    await work(round).catch((error: unknown) => fail(String(error)));
  }
}

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1;
}

async function rotate(operator: Composition): Promise<void> {
  const { rotateSigningKey, listSigningKeys, retireSigningKey } = operator.operatorUseCases;
  while (seen.rotations < numbers.rotations) {
    await rotateSigningKey();
    seen.rotations += 1;
    const previous = (await listSigningKeys()).filter(({ state }) => state === 'previous');
    // The newest ones are those that somebody may be signing with right now.
    const toRetire = random.below(2) === 0 ? previous.at(-1) : random.pick(previous);
    if (toRetire !== undefined) {
      await retireSigningKey(toRetire.kid).then(
        () => {
          seen.retired += 1;
        },
        () => {
          seen.inUse += 1;
        },
      );
    }
    // Of two rotations at once the first key has hardly signed anything, so it can be retired while somebody is about to.
    await wait(random.below(2) === 0 ? 0 : numbers.pause);
  }
}

async function importOnce(operator: Composition, pair: Pair, round: number): Promise<void> {
  const signed = await importValues(operator, pair, round);
  seen.signedValues += signed;
  seen.imports += 1;
}

async function read({ companyId, key }: Pair): Promise<void> {
  const paths = [
    `/v1/companies/${companyId}/metrics`,
    `/v1/companies/${companyId}/metrics/mrr/history`,
    '/v1/events?limit=20',
  ];
  await ask('GET', random.pick(paths), key);
  seen.reads += 1;
}

/** The investor gives its grant up, asks again and is answered; each of them makes a receipt. */
async function change(pair: Pair): Promise<void> {
  const { data } = await ask('GET', '/v1/access-requests', pair.key);
  const [newest] = data as { id: string }[];
  await ask('DELETE', `/v1/access-requests/${newest?.id}`, pair.key);
  const id = await approve(pair);
  await ask('GET', `/v1/access-requests/${id}/receipts`, pair.key);
  await ask('GET', `/company/v1/access-requests/${id}/receipts`, pair.companyKey);
  seen.changes += 3;
}

async function approve({ companyId, key, companyKey }: Pair): Promise<string> {
  const asked = await ask('POST', '/v1/access-requests', key, {
    company_id: companyId,
    scopes: ['metrics:read'],
  });
  const id = asked.id as string;
  await ask('POST', `/company/v1/access-requests/${id}/approve`, companyKey, {});
  return id;
}

/** Asks either process, and then either process for its keys. */
async function ask(method: string, path: string, key: string, body?: object) {
  const response = await fetch(`${anyUrl()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const inAnswer = kidsIn(text);
  if (inAnswer.size > 0) {
    const keys = await askKeys();
    seen.checkedAnswers += 1;
    seen.checkedKeys += inAnswer.size;
    seen.missingKeys += inAnswer.difference(keys).size;
    for (const kid of inAnswer) kids.add(kid);
  }
  // Between giving a grant up and the next one nothing can be read.
  if (!response.ok && response.status !== 403) {
    throw new Error(`${method} ${path.replace(/\w+_\w+/g, 'ID')}: ${response.status}`);
  }
  return JSON.parse(text);
}

function askKeys(): Promise<ReadonlySet<string>> {
  if (!isOnce) return served.ask(anyUrl());
  firstKeys ??= served.ask(anyUrl());
  return firstKeys;
}

function anyUrl(): string {
  const { port } = random.pick(processes);
  return `http://127.0.0.1:${port}`;
}
