import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../data/random.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { type RunningProgram, startProgram } from '../program.ts';
import { createDatabase, requireServers, withClient } from '../servers.ts';
import { say, seed } from '../setting.ts';
import { redisUrl } from '../settings.ts';
import { type Company, environment, introduce, type Parties } from './webhooks/parties.ts';
import { Receiver } from './webhooks/receiver.ts';

/**
 * Two processes make transitions, and one of them is killed again and again at a random moment. Every transition that is
 * committed must reach a receiver that fails a third of the calls and is restarted, and no other; what comes twice must
 * come under the same id with the same body; and the feed must be gapless and in one order for every reader.
 */
const { numbers, isSmoke } = readOptions(
  { kills: 100, transitions: 2_000, companies: 10 },
  { kills: 1, transitions: 30, companies: 2 },
);
const random = createRandom(seed);

await requireServers();
const database = await createDatabase();
const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
const processes: RunningProgram[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}
try {
  migrate(database.url);
  const result = await run();
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  const { missing, unknown, changed, gaps, disordered, transitions, kills } = result;
  const flaws = missing + unknown + changed + gaps + disordered;
  if (flaws > 0 || transitions < numbers.transitions || kills < numbers.kills) process.exitCode = 1;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  for (const { child } of processes) child.kill('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}

async function run() {
  const receiver = new Receiver();
  await receiver.listen(0);
  const parties = await introduce(database.url, numbers.companies, receiver);
  const start = () =>
    startProgram('ours', {
      databaseUrl: database.url,
      redisUrl,
      role: '',
      logFolder: folder,
      environment,
    });
  processes.push(await start(), await start());

  let made = 0;
  let kills = 0;
  const isOver = () => made >= numbers.transitions && kills >= numbers.kills;
  /** Some transitions are kept for after each kill. */
  const mayGoOn = () =>
    made < ((kills + 1) / (numbers.kills + 1)) * numbers.transitions || kills >= numbers.kills;

  const driving = parties.companies.map(async (company) => {
    while (!isOver()) {
      if (!mayGoOn()) await wait(20);
      else if (await transit(parties.key, company).catch(() => false)) made += 1;
    }
  });
  while (kills < numbers.kills) {
    await wait(random.below(isSmoke ? 500 : 1_000));
    const [victim] = processes.splice(random.below(2), 1);
    victim?.child.kill('SIGKILL');
    kills += 1;
    if (kills === Math.ceil(numbers.kills / 2)) await receiver.restart();
    processes.push(await start());
    if (kills % 10 === 0) say(`${kills} kills, ${made} transitions seen`);
  }
  await Promise.all(driving);
  const events = await readEvents();
  say(`${events.length} transitions committed; waiting for their deliveries`);
  await receiver.settle(events.length * 2);
  receiver.close();
  return { kills, ...judge(events, receiver), ...(await readFeeds(parties, events)) };
}

/** Moves the newest request of a company one step on, through either process. */
async function transit(key: string, company: Company): Promise<boolean> {
  const port = processes[random.below(processes.length)]?.port;
  if (port === undefined) return false;
  const ask = async (method: string, path: string, secret: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5_000),
    });
    return { status: answer.status, body: (await answer.json()) as { id: string; status: string } };
  };
  const asked = await ask('POST', '/v1/access-requests', key, {
    company_id: company.id,
    scopes: ['metrics:read'],
  });
  if (asked.status === 201) return true;
  const { id, status } = asked.body;
  const step = status === 'approved' ? 'revoke' : random.below(2) === 0 ? 'approve' : 'decline';
  const path = `/company/v1/access-requests/${id}/${step}`;
  return (await ask('POST', path, company.key, {})).status === 200;
}

interface Committed {
  readonly id: string;
  readonly company_id: string;
  readonly position: string | null;
}

function readEvents(): Promise<Committed[]> {
  return withClient(database.url, async (client) => {
    await client.query('select number_access_events()');
    const { rows } = await client.query<Committed>(
      'select id, company_id, position from access_event order by position',
    );
    return rows;
  });
}

function judge(events: readonly Committed[], { bodies, calls }: Receiver) {
  const expected = new Set(
    events.flatMap(({ id, company_id }) => [`/investor ${id}`, `/company/${company_id} ${id}`]),
  );
  return {
    transitions: events.length,
    deliveries: expected.size,
    calls: calls.accepted,
    failedCalls: calls.failed,
    doubles: calls.accepted - bodies.size,
    missing: [...expected].filter((name) => !bodies.has(name)).length,
    unknown: [...bodies.keys()].filter((name) => !expected.has(name)).length,
    changed: calls.changed,
  };
}

/** Both sides read their feeds to the end. */
async function readFeeds({ key, companies }: Parties, events: readonly Committed[]) {
  const positions = events.map(({ position }) => Number(position));
  const gaps = positions.filter((position, index) => position !== index + 1).length;
  const feeds = [
    { path: '/v1/events', secret: key, ids: events.map(({ id }) => id) },
    ...companies.map((company) => ({
      path: '/company/v1/events',
      secret: company.key,
      ids: events.filter((event) => event.company_id === company.id).map(({ id }) => id),
    })),
  ];
  let disordered = 0;
  for (const { path, secret, ids } of feeds) {
    const read: string[] = [];
    for (let page = -1; page !== read.length; ) {
      page = read.length;
      const after = read.length > 0 ? `&after=${read.at(-1)}` : '';
      const url = `http://127.0.0.1:${processes[0]?.port}${path}?limit=100${after}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
      const { data } = (await answer.json()) as { data: { id: string }[] };
      read.push(...data.map(({ id }) => id));
    }
    if (JSON.stringify(read) !== JSON.stringify(ids)) disordered += 1;
  }
  return { gaps, disordered };
}
