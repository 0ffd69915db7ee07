// @module-tag full
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { formats } from '../../cli/export/lines.ts';
import { spawnCli, startCli } from '../cli/spawn.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { importLines } from '../support/fixtures.ts';
import { openOperatorSide } from '../support/operator.ts';
import { jwksOf } from '../support/receipt-chain.ts';

const companyLine = { type: 'company', id: 'co_killed', name: 'Killed', environment: 'test' };
const day = 86_400_000;

const metrics = (count: number, amount: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'metric',
    company_id: companyLine.id,
    key: 'cash_balance',
    currency: 'USD',
    period: new Date(index * day).toISOString().slice(0, 10),
    source: { system: 'Mercury', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
    raw_value: amount + index,
  }));

const otherLine = { ...companyLine, id: 'co_other' };

const textOf = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

await describeOnPostgres('an import that is killed', (createDatabase) => {
  let folder: string;
  let exported = '';

  /** 900 values, 300 of them replaced, so that more than one push has revisions. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'killed-'));
    const origin = await openOperatorSide({
      DATABASE_URL: (await createDatabase()).url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    });
    await importLines(origin.operator, [companyLine, ...metrics(900, 1)]);
    await importLines(origin.operator, metrics(300, 2));
    await origin.operator.exportCompany(companyLine.id, async (records) => {
      exported += records.map(formats.ndjson.line).join('');
    });
    const jwks = jwksOf(await origin.operator.listPublicKeys());
    await writeFile(join(folder, 'jwks.json'), JSON.stringify(jwks));
    const { privateKey } = generateKeyPairSync('ed25519');
    const ownKey = JSON.stringify(privateKey.export({ format: 'jwk' }));
    await writeFile(join(folder, 'own-key.json'), ownKey, { mode: 0o600 });
    await origin.close();
  });

  async function open() {
    const { url } = await createDatabase();
    // Signs with another key than the export, whose key must be imported together with the values or not at all.
    const env = { DATABASE_URL: url, SIGNING_KEY_FILE: join(folder, 'own-key.json') };
    const query = (statement: string) =>
      withClient(url, async (client) => (await client.query(statement)).rows);
    /** Kills an import that waits for the locks. */
    async function killed(locks: string, text: string, ...options: string[]): Promise<void> {
      await withClient(url, async (blocker) => {
        await blocker.query(`begin; ${locks}`);
        const child = startCli(['import', '-', ...options], { env });
        const ended = once(child, 'close');
        child.stdin.end(text);
        await expect
          .poll(() =>
            query(`select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`),
          )
          .toHaveLength(1);
        child.kill('SIGKILL');
        expect(await ended).toEqual([null, 'SIGKILL']);
        await blocker.query('rollback');
      });
    }
    const run = async (text: string, ...options: string[]) => {
      const outcome = await spawnCli(['import', '-', '--json', ...options], { env, input: [text] });
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
      return outcome.json;
    };
    return { query, killed, run };
  }

  test('leaves no data of an uncommitted push, and can be run again', async () => {
    const { query, killed, run } = await open();
    const options = ['--jwks', join(folder, 'jwks.json')];
    await killed('lock table metric_series in share row exclusive mode', exported, ...options);
    const left = await query(`select id from company
      union all select kid from signing_key where is_imported
      union all select key from metric_series union all select key from idempotent_push`);
    expect(left).toEqual([]);
    const counts = { inserted: 901, updated: 300, unchanged: 0, signed: 1200 };
    const again = await run(exported, ...options);
    expect(again).toMatchObject({ ...counts, bad_lines: 0, unsigned: 0, already_imported: 0 });
  });

  test('continues after its committed pushes if it is run again, and repeats none of them', async () => {
    const { query, killed, run } = await open();
    const ofOther = metrics(10, 1).map((line) => ({ ...line, company_id: otherLine.id }));
    const text = textOf([companyLine, ...metrics(1_500, 1), otherLine, ...ofOther]);
    await killed(`insert into company values ('${otherLine.id}', 'Other', 'test', now())`, text);
    expect(await query('select from metric_point')).toHaveLength(1_500);
    expect(await query('select id from company')).toEqual([{ id: companyLine.id }]);
    // Another import corrects the values of the killed one.
    expect(await run(textOf(metrics(1, 7)))).toMatchObject({ updated: 1 });
    const counts = { inserted: 11, updated: 0, unchanged: 0, signed: 10 };
    expect(await run(text)).toMatchObject({ ...counts, already_imported: 1_501 });
    const values = await query(`select raw_value::text as value, revision from metric_point
      where revision > 1`);
    expect(values).toEqual([{ value: '7', revision: 2 }]);
    expect(await query('select from idempotent_push')).toEqual([]);
  });
});
