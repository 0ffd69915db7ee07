import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { importLines } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { type Consent, createPair } from './support/consents.ts';
import { rounds } from './support/rounds.ts';
import { kidsIn, ServedKeys } from './support/served-keys.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: rotation of signing keys: ${whyNot}`);

const rotations = rounds(1) * 20;
const changers = 2;
const importers = 1;
const readers = 4;

const any = <T>(items: readonly T[]): T => items[randomInt(items.length)] as T;

/** Unused keys are retired during the test. The service must serve the key of every signature in an answer. */
describe.skipIf(whyNot !== null)('a signing key that is rotated again and again', () => {
  let database: FreshDatabase;
  let side: OperatorSide;
  let services: RunningService[];
  let pairs: Consent[];
  const served = new ServedKeys();

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    const folder = await mkdtemp(join(inject('dataFolder'), 'rotation-'));
    const environment = {
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: join(folder, 'signing-key.json'),
      RATE_LIMIT_POINTS: '1000000',
    };
    side = await openOperatorSide(environment);
    await side.operator.rotateSigningKey({ atOnce: true });
    services = [await startServiceProcess(environment), await startServiceProcess(environment)];
    pairs = [];
    for (let count = 0; count < changers + importers; count += 1)
      pairs.push(await createPair(side));
  });
  afterAll(async () => {
    killLeftovers();
    await side?.close();
    await database?.drop();
  });

  test('is in the key set that a client requests after a response with the key’s signature', async () => {
    const seen = await changeAndRead();
    expect(seen).toMatchObject({ missing: 0, failures: [] });
    expect(seen.keys).toBeGreaterThan(0);
  });

  const anyUrl = () => any(services).url;

  async function changeAndRead() {
    const seen = { reads: 0, changes: 0, imports: 0, retired: 0, keys: 0, missing: 0 };
    const failures: string[] = [];
    let isOver = false;

    /** Sends a request to either process, and then reads the key set from either process. */
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
        seen.keys += inAnswer.size;
        seen.missing += inAnswer.difference(await served.ask(anyUrl())).size;
      }
      // A 403 is expected between two grants.
      if (!response.ok && response.status !== 403) {
        failures.push(`${method} ${path}: ${response.status}`);
      }
      return JSON.parse(text);
    }

    async function read({ companyId, key }: Consent): Promise<void> {
      const company = `/v1/companies/${companyId}`;
      const history = `${company}/metrics/cash_balance/history`;
      await ask('GET', any([`${company}/metrics`, history, '/v1/events?limit=20']), key);
      seen.reads += 1;
    }

    /** The investor withdraws its request and sends a new one, and the company approves. Each step makes a receipt. */
    async function change({ companyId, key, companyKey }: Consent): Promise<void> {
      const { data } = await ask('GET', '/v1/access-requests', key);
      await ask('DELETE', `/v1/access-requests/${data[0].id}`, key);
      const body = { company_id: companyId, scopes: ['metrics:read'] };
      const { id } = await ask('POST', '/v1/access-requests', key, body);
      const received = `/company/v1/access-requests/${id}`;
      await ask('POST', `${received}/approve`, companyKey, {});
      await ask('GET', `/v1/access-requests/${id}/receipts`, key);
      await ask('GET', `${received}/receipts`, companyKey);
      seen.changes += 3;
    }

    async function changeValues({ companyId }: Consent): Promise<void> {
      const source = { system: 'Ledger', method: 'api', last_synced: new Date().toISOString() };
      const point = { type: 'metric', company_id: companyId, period: '2026-10-31', source };
      const keys = ['arr', 'burn', 'headcount', 'mrr'];
      await importLines(
        side.operator,
        keys.map((key) => ({ ...point, key, raw_value: seen.imports })),
      );
      seen.imports += 1;
    }

    async function repeat(work: () => Promise<void>): Promise<void> {
      while (!isOver) await work().catch((error: unknown) => failures.push(String(error)));
    }

    const working = [
      ...Array.from({ length: readers }, () => repeat(() => read(any(pairs)))),
      ...pairs.slice(0, changers).map((pair) => repeat(() => change(pair))),
      ...pairs.slice(changers).map((pair) => repeat(() => changeValues(pair))),
    ];
    for (let rotation = 0; rotation < rotations; rotation += 1) {
      await side.operator.rotateSigningKey({ atOnce: true });
      const previous = (await side.operator.listSigningKeys()).filter(
        ({ state }) => state === 'previous',
      );
      // The newest keys may still sign.
      const toRetire = randomInt(2) === 0 ? previous.at(-1) : any(previous);
      await side.operator.retireSigningKey(toRetire?.kid ?? '').then(
        () => {
          seen.retired += 1;
        },
        // The key can't be retired if it has signed a value, which is allowed.
        () => undefined,
      );
      // After two quick rotations, a key has hardly been used. So it may be retired just before it signs.
      await wait(randomInt(2) === 0 ? 0 : 20);
    }
    // On a busy machine, the rotations may end before the first change, so this waits for a read and a change.
    while (seen.reads === 0 || seen.changes === 0) await wait(20);
    isOver = true;
    await Promise.all(working);
    console.log(`${rotations} rotations: ${JSON.stringify(seen)}`);
    return { ...seen, failures };
  }
});
