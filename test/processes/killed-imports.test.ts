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
import { someCases } from '../support/property-runs.ts';
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

const mapping = {
  numbers: { decimal_mark: '.' },
  dates: { formats: ['YYYY-MM-DD'] },
  fields: {
    company_id: { value: companyLine.id },
    currency: { value: 'USD' },
    period: { column: 'day' },
    'source.system': { value: 'Ledger' },
    'source.method': { value: 'file' },
    'source.last_synced': { value: '2026-11-02T08:00:00Z' },
  },
  records: [{ type: 'metric', fields: { key: { value: 'mrr' }, raw_value: { column: 'amount' } } }],
};

await describeOnPostgres('an import that is killed', (createDatabase) => {
  let folder: string;
  const exported = { ndjson: '', csv: '' };

  /** 900 values of which 300 were replaced, so that more than one batch has revisions. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'killed-'));
    const origin = await openOperatorSide({
      DATABASE_URL: (await createDatabase()).url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    });
    await importLines(origin.operator, [companyLine, ...metrics(900, 1)]);
    await importLines(origin.operator, metrics(300, 2));
    for (const format of ['ndjson', 'csv'] as const) {
      exported[format] = formats[format].header;
      await origin.operator.exportCompany(companyLine.id, async (records) => {
        exported[format] += records.map(formats[format].line).join('');
      });
    }
    const jwks = jwksOf(await origin.operator.listPublicKeys());
    await writeFile(join(folder, 'jwks.json'), JSON.stringify(jwks));
    await writeFile(join(folder, 'mapping.json'), JSON.stringify(mapping));
    const { privateKey } = generateKeyPairSync('ed25519');
    const ownKey = JSON.stringify(privateKey.export({ format: 'jwk' }));
    await writeFile(join(folder, 'own-key.json'), ownKey, { mode: 0o600 });
    await origin.close();
  });

  const ledger = () =>
    ['day,amount', ...metrics(900, 3).map(({ period, raw_value }) => `${period},${raw_value}`)]
      .join('\n')
      .concat('\n');

  const kinds = [
    {
      what: 'an export with revisions',
      text: () => exported.ndjson,
      options: () => ['--jwks', join(folder, 'jwks.json')],
      before: [],
      staged: 'import_revision',
      counts: { inserted: 901, updated: 300, unchanged: 0, signed: 1200 },
    },
    {
      what: 'an export as CSV',
      text: () => exported.csv,
      options: () => ['--format', 'csv', '--jwks', join(folder, 'jwks.json')],
      before: [companyLine],
      staged: 'import_revision',
      counts: { inserted: 900, updated: 300, unchanged: 0, signed: 1200 },
    },
    {
      what: 'a ledger as CSV',
      text: ledger,
      options: () => ['--format', 'csv', '--mapping', join(folder, 'mapping.json')],
      before: [companyLine],
      staged: 'import_metric',
      counts: { inserted: 900, updated: 0, unchanged: 0, signed: 900 },
    },
  ] as const;

  const [first] = kinds;
  const cases = [
    ...kinds.map((kind) => ({ ...kind, moment: 'while its lines are staged' })),
    { ...first, moment: 'while it is being applied' },
  ];

  test.each(someCases(cases))(
    'changes nothing, and can simply be run again: $what, $moment',
    async ({ text, options, before, staged, counts, moment }) => {
      const { url } = await createDatabase();
      // A key of its own: that of the export is published with the values, or not at all.
      const env = { DATABASE_URL: url, SIGNING_KEY_FILE: join(folder, 'own-key.json') };
      const side = await openOperatorSide(env);
      await importLines(side.operator, before);
      await side.close();
      const query = (statement: string) =>
        withClient(url, async (client) => (await client.query(statement)).rows);
      const imported = async () => ({
        companies: await query('select * from company order by id'),
        series: await query('select * from metric_series'),
        points: await query('select * from metric_point'),
        revisions: await query('select * from metric_revision'),
        keys: await query('select kid, retired_at from signing_key'),
      });
      const stateBefore = await imported();

      await withClient(url, async (blocker) => {
        await blocker.query('begin');
        await blocker.query('lock table metric_series in share row exclusive mode');
        const child = startCli(['import', '-', ...options()], { env });
        const ended = once(child, 'close');
        // What was not read yet when it is killed cannot be written any more.
        child.stdin.on('error', () => undefined);
        if (moment === 'while its lines are staged') {
          child.stdin.write(text());
          await expect.poll(() => query(`select from ${staged} limit 1`)).toHaveLength(1);
        } else {
          child.stdin.end(text());
          await expect
            .poll(() =>
              query(`select from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`),
            )
            .toHaveLength(1);
        }
        child.kill('SIGKILL');
        expect(await ended).toEqual([null, 'SIGKILL']);
        await blocker.query('rollback');
      });
      expect(await imported()).toEqual(stateBefore);

      const again = await spawnCli(['import', '-', '--json', ...options()], {
        env,
        input: [text()],
      });
      expect(again).toMatchObject({ exitCode: 0, stderr: '' });
      expect(again.json).toMatchObject({ ...counts, bad_lines: 0, unsigned: 0 });
    },
  );
});
