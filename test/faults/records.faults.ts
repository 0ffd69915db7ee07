import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
  withClient,
} from '../support/databases.ts';
import { killLeftovers, startServiceProcess } from '../support/processes.ts';
import { asOperator, type Consent, createPair } from './support/consents.ts';
import { rounds } from './support/rounds.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: reads past a kill -9: ${whyNot}`);

const readers = 32;
const pairs = 8;

describe.skipIf(whyNot !== null)('a process that is killed during reads', () => {
  let database: FreshDatabase;
  let consents: Consent[];

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    consents = await asOperator(database.url, (side) =>
      Promise.all(Array.from({ length: pairs }, () => createPair(side))),
    );
  });
  afterAll(async () => {
    killLeftovers();
    await database?.drop();
  });

  test('has stored an access record for each response that began to arrive', async () => {
    let answers = 0;
    for (let kill = 0; kill < rounds(5); kill += 1) {
      const ids = await readUntilKilled(20 + Math.random() * 200);
      answers += ids.length;
      expect(await findUnrecorded(ids)).toEqual([]);
    }
    expect(answers).toBeGreaterThan(0);
    console.log(`killed ${rounds(5)} times: ${answers} answers, each with its record`);
  });

  /** Returns the IDs of the requests whose answers began to arrive before the process was killed. */
  async function readUntilKilled(milliseconds: number): Promise<string[]> {
    const service = await startServiceProcess({
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
    });
    const agent = new Agent({ keepAlive: true });
    const ids: string[] = [];
    const first = Promise.withResolvers<void>();
    const reading = Array.from({ length: readers }, async (_, reader) => {
      const { companyId, key } = consents[reader % pairs] as Consent;
      const url = `${service.url}/v1/companies/${companyId}/metrics`;
      for (let isUp = true; isUp; ) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
          expect(answer.statusCode).toBe(200);
          ids.push(String(answer.headers['svc-request-id']));
          first.resolve();
          answer.resume().on('error', () => resolve(false));
          answer.on('end', () => resolve(true));
        }).on('error', () => resolve(false));
        isUp = await promise;
      }
    });
    await first.promise;
    await wait(milliseconds);
    await service.stop('SIGKILL');
    await Promise.all(reading);
    agent.destroy();
    return ids;
  }

  function findUnrecorded(ids: readonly string[]): Promise<string[]> {
    return withClient(database.url, async (client) => {
      const { rows } = await client.query(
        `select id from unnest($1::text[]) as answered (id) where not exists (
          select from access_record where request_id = answered.id and outcome = 'allowed'
        )`,
        [ids],
      );
      return rows.map(({ id }) => String(id));
    });
  }
});
