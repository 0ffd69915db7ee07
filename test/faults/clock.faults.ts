import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { killLeftovers, startServiceProcess } from '../support/processes.ts';
import { asOperator, type Consent, createPair } from './support/consents.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: a clock that is set: ${whyNot}`);

const hour = 3_600_000;
const preload = fileURLToPath(new URL('support/stepped-clock.mjs', import.meta.url));

/** One machine has the correct time. The other machine's clock is set forward and back by an hour. */
describe.skipIf(whyNot !== null)('the clock of one of two machines', () => {
  let database: FreshDatabase;
  let stepFile: string;
  const clients: HttpClient[] = [];

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    stepFile = join(await mkdtemp(join(inject('dataFolder'), 'clock-')), 'step');
    await writeFile(stepFile, '0');
    const environment = {
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
    };
    const services = await Promise.all([
      startServiceProcess(environment),
      startServiceProcess({
        ...environment,
        NODE_OPTIONS: `--import ${preload}`,
        CLOCK_STEP_FILE: stepFile,
      }),
    ]);
    for (const { url } of services) clients.push(createHttpClient(url));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    killLeftovers();
    await database?.drop();
  });

  const metricsOf = ({ companyId }: Consent) => `/v1/companies/${companyId}/metrics`;
  const read = (pair: Consent, client: HttpClient) =>
    client.call('GET', metricsOf(pair), { key: pair.key });
  const readOnBoth = (pair: Consent) => Promise.all(clients.map((client) => read(pair, client)));

  /** Resolves when the process uses the new time. */
  async function setClock(milliseconds: number): Promise<void> {
    await writeFile(stepFile, String(milliseconds));
    const isSeen = async () =>
      Math.abs(Number(await readFile(`${stepFile}.seen`, 'utf8')) - milliseconds) < 1_000;
    await expect.poll(isSeen).toBe(true);
  }

  test.each([-hour, hour])(
    'doesn’t change the lifetime of a grant if the clock is changed by %i ms',
    async (step) => {
      const pair = await asOperator(database.url, async (side) => {
        const { key, company } = await side.fixtures.portfolio({ rateLimit: 1_000_000 });
        const { id } = await side.fixtures.request(key, company.id, ['metrics:read']);
        return { key, companyId: company.id, companyKey: '', requestId: id };
      });
      await setClock(step);
      const lifeMilliseconds = 4_000;
      const expiresAt = new Date(Date.now() + lifeMilliseconds);
      await asOperator(database.url, (side) =>
        side.operator.approveAccessRequest({ id: pair.requestId, expiresAt }),
      );
      for (const { status } of await readOnBoth(pair)) expect(status).toBe(200);
      // Adds 50 ms, because clocks on one machine may differ slightly.
      while (Date.now() <= expiresAt.getTime() + 50) await readOnBoth(pair);
      for (const { body } of await readOnBoth(pair))
        expect(body.error.code).toBe('access_required');
      await setClock(0);
    },
  );

  test('doesn’t change the order of records and events if the clock is set forward and back', async () => {
    const pair = await asOperator(database.url, createPair);
    const asked: string[] = [];
    const decided: string[] = [];
    for (const step of [0, -hour, 0, hour, 0, -hour]) {
      await setClock(step);
      for (const client of clients) {
        const { headers } = await read(pair, client);
        asked.push(String(headers['svc-request-id']));
        const { status, body } = await client.call(
          'POST',
          `/company/v1/access-requests/${pair.requestId}/extend`,
          {
            key: pair.companyKey,
            body: { expires_at: new Date(Date.now() + (800 + decided.length) * 24 * hour) },
          },
        );
        expect(status, JSON.stringify(body)).toBe(200);
        decided.push(body.expires_at);
      }
    }
    const [first] = clients;
    const list = async (path: string) =>
      (await first?.call('GET', path, { key: pair.companyKey }))?.body.data;
    const records = await list('/company/v1/access-records');
    expect(records.map((record: { request_id: string }) => record.request_id)).toEqual(
      asked.toReversed(),
    );
    const events = await list('/company/v1/events?limit=1000');
    const extended = events.filter(({ type }: { type: string }) => type.endsWith('.extended'));
    expect(
      extended.map(
        ({ data }: { data: { access_request: { expires_at: string } } }) =>
          data.access_request.expires_at,
      ),
    ).toEqual(decided);
    const times = extended.map(({ created_at }: { created_at: string }) => created_at);
    expect(times).toEqual(times.toSorted());
  });
});
