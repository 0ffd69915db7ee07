import { compactVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Environment, MetricRevision } from '#core';
import { addCompany, aMetric, decimal, metricRecord, must } from '../contracts/builders.ts';
import { asOfNow } from '../support/call.ts';
import { describeOnPostgres, useDatabase, withClient } from '../support/databases.ts';
import { someCases } from '../support/property-runs.ts';
import { createTestSigner, importSigned, type TestSigner } from '../support/test-signer.ts';

await describeOnPostgres('a stored value', (createDatabase) => {
  const database = useDatabase(createDatabase);
  let signer: TestSigner;
  let otherSigner: TestSigner;
  let stored: Awaited<ReturnType<typeof storeValue>>;

  const query = (text: string) => withClient(database.url, (client) => client.query(text));

  beforeAll(async () => {
    signer = await createTestSigner(database.repositories);
    otherSigner = await createTestSigner(database.repositories);
    stored = await storeValue();
  });

  async function storeValue(): Promise<{ companyId: string; series: string }> {
    const { repositories } = database;
    const company = await addCompany(repositories);
    const values = [aMetric(company, { rawValue: decimal('1') }), aMetric(company)];
    for (const metric of values) await importSigned(repositories, [metricRecord(metric)], signer);
    const companyId = company.id;
    return {
      companyId,
      series: `series_id = (select id from metric_series where company_id = '${companyId}')`,
    };
  }

  async function read(companyId: string): Promise<readonly MetricRevision[]> {
    const { rows } = await query(`
      select company.id, environment, key from company join metric_series on company_id = company.id
      where company.id in ('${companyId}', '${companyId}_moved')`);
    const [{ id, environment, key }] = rows as unknown as [
      { id: string; environment: Environment; key: string },
    ];
    return database.repositories.companyData.metricRevisions(asOfNow(id, environment), key);
  }

  async function verifies({ verification }: MetricRevision): Promise<boolean> {
    if (!verification.signed) throw new Error('it is not signed');
    const keyOf = ({ kid }: { readonly kid?: string }) =>
      must([signer, otherSigner].find((one) => one.kid === kid) ?? null).publicKey;
    try {
      await compactVerify(verification.signature, keyOf);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
      return false;
    }
  }

  const newest = async (companyId: string) => must((await read(companyId)).at(-1) ?? null);

  /** Wraps a change so that no trigger stops it. Only the tables' owner can run the result. */
  const unguarded = (change: string) => `
    set session_replication_role = replica;
    alter table metric_series disable trigger append_only;
    alter table metric_revision disable trigger append_only;
    ${change};
    alter table metric_series enable always trigger append_only;
    alter table metric_revision enable always trigger append_only`;

  describe('that was changed directly in the database', () => {
    const signed: [string, (stored: { companyId: string; series: string }) => string][] = [
      ...Object.entries({
        raw_value: `raw_value + 0.000000000001`,
        currency: `null`,
        as_of: `as_of + interval '1 millisecond'`,
        source_system: `'Mercury'`,
        source_method: `'manual'`,
        last_synced: `last_synced + interval '1 millisecond'`,
        period: `period + 1`,
        revision: `3`,
        signed_at: `signed_at + interval '1 millisecond'`,
      }).map(([column, value]): [string, (stored: { series: string }) => string] => [
        column,
        ({ series }) => `update metric_point set ${column} = ${value} where ${series}`,
      ]),
      [
        'key',
        ({ companyId }) => `update metric_series set key = 'mrr' where company_id = '${companyId}'`,
      ],
      [
        'company_id',
        ({ companyId }) => `
          insert into company values ('${companyId}_moved', 'Other', 'live', now());
          update metric_series set company_id = '${companyId}_moved' where company_id = '${companyId}'`,
      ],
      [
        'environment',
        ({ companyId }) => `update company set environment = 'test' where id = '${companyId}'`,
      ],
      [
        'signature',
        ({ series }) =>
          `update metric_point set signature = set_byte(signature, 5, 255 - get_byte(signature, 5))
            where ${series}`,
      ],
      [
        'signing_key',
        ({ series }) =>
          `update metric_point set signing_key = ${otherSigner.keyNumber} where ${series}`,
      ],
    ];

    test.each(someCases(signed))(
      'has an invalid signature after a change of %s',
      async (_column, change) => {
        const value = await storeValue();
        expect(await verifies(await newest(value.companyId))).toBe(true);
        await query(unguarded(change(value)));
        expect(await verifies(await newest(value.companyId))).toBe(false);
      },
    );

    test.each([
      ['raw_value', () => '7'],
      ['signing_key', () => String(otherSigner.keyNumber)],
    ])(
      'has an invalid signature after a change of %s, even if a newer value had replaced it',
      async (column, value) => {
        const { companyId, series } = await storeValue();
        const change = `update metric_revision set ${column} = ${value()} where ${series}`;
        await query(unguarded(change));
        const [first, second] = await read(companyId);
        expect(await verifies(must(first ?? null))).toBe(false);
        expect(await verifies(must(second ?? null))).toBe(true);
      },
    );

    test.each([
      ['is_signed_as_a_whole', 'signing_key = null'],
      ['is_voided_as_a_whole', 'raw_value = null'],
      ['is_voided_as_a_whole', 'value = null'],
      ['reason_is_of_a_void', `void_reason = 'Wrong month'`],
      ['reason_is_of_a_void', `raw_value = null, value = null, void_reason = repeat('x', 1001)`],
    ])('can’t break the check constraint metric_point_%s: %s', async (constraint, change) => {
      const { series } = await storeValue();
      for (const table of ['metric_point', 'metric_revision']) {
        await expect(
          query(unguarded(`update ${table} set ${change} where ${series}`)),
        ).rejects.toMatchObject({ constraint: `metric_point_${constraint}` });
      }
    });

    test('is reported as unsigned if its signing key and the constraint on this key were removed', async () => {
      const { companyId, series } = await storeValue();
      const constraint = 'metric_point_is_signed_as_a_whole';
      await query(`
        set session_replication_role = replica;
        alter table metric_point drop constraint ${constraint};
        update metric_point set signing_key = null where ${series};
        alter table metric_point add constraint ${constraint}
          check (num_nulls(signed_at, signature, signing_key) in (0, 3)) not valid`);
      const { verification } = await newest(companyId);
      expect(verification).toEqual({ verified: expect.any(Boolean), signed: false });
    });

    test('still has a valid signature if only unsigned columns were changed', async () => {
      const { companyId, series } = await storeValue();
      await query(`
        set session_replication_role = replica;
        update metric_point set value = 'much', confidence = 'low' where ${series};
        update metric_series set label = 'Money', category = 'x' where company_id = '${companyId}'`);
      expect(await newest(companyId)).toMatchObject({ value: 'much', label: 'Money' });
      expect(await verifies(await newest(companyId))).toBe(true);
    });
  });

  describe('in a database whose triggers are active', () => {
    const refused = [
      ['deleted', 'delete from metric_point where $series'],
      ['truncated', 'truncate metric_point'],
      [
        'changed without a new revision number',
        'update metric_point set value = $$x$$ where $series',
      ],
      [
        'changed with a revision number that is higher by two',
        'update metric_point set value = $$x$$, revision = 4 where $series',
      ],
      [
        'given a new revision number without a change',
        'update metric_point set revision = 3 where $series',
      ],
      [
        'attributed to another person',
        `update metric_point set settings_change_id = 'chg_other' where $series`,
      ],
      [
        'attributed to another person after its replacement',
        `update metric_revision set settings_change_id = 'chg_other' where $series`,
      ],
      ['moved to another period', 'update metric_point set period = period + 1 where $series'],
      [
        'changed under its old signature',
        'update metric_point set value = $$x$$, revision = 3 where $series',
      ],
      ['given a new signature time', 'update metric_point set signed_at = now() where $series'],
      [
        'stripped of its signature',
        'update metric_point set signature = null, signed_at = null, signing_key = null where $series',
      ],
      [
        'given to another metric',
        `update metric_series set key = key || '_x' where id in (select series_id from metric_point where $series)`,
      ],
      ['deleted once it is replaced', 'delete from metric_revision where $series'],
      ['truncated once it is replaced', 'truncate metric_revision'],
      ['changed once it is replaced', 'update metric_revision set raw_value = 7 where $series'],
    ] as const;

    test.each(refused)('can’t be %s', async (_what, statement) => {
      const { companyId, series } = stored;
      const before = await read(companyId);
      await expect(query(statement.replace('$series', () => series))).rejects.toMatchObject({
        code: '42501',
      });
      expect(await read(companyId)).toEqual(before);
    });

    test.each(['delete from metric_point where $series', 'truncate metric_revision'])(
      'can’t be deleted by a session in replica mode: %s',
      async (statement) => {
        const { companyId, series } = stored;
        const replay = `set session_replication_role = replica; ${statement.replace('$series', () => series)}`;
        await expect(query(replay)).rejects.toMatchObject({ code: '42501' });
        expect(await read(companyId)).toHaveLength(2);
      },
    );

    test('can be replaced by an unsigned value with the next revision number', async () => {
      const { companyId, series } = await storeValue();
      await query(`
        update metric_point set value = 'corrected', revision = revision + 1,
          signature = null, signed_at = null, signing_key = null
        where ${series}`);
      const revisions = await read(companyId);
      expect(
        revisions.map(({ revision, verification }) => [revision, verification.signed]),
      ).toEqual([
        [1, true],
        [2, true],
        [3, false],
      ]);
      expect(await verifies(must(revisions[1] ?? null))).toBe(true);
    });
  });
});
