import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccessRecord } from '#core';
import { type IdField, idBytes, prefixes } from '../../db/access-records/ids.ts';
import { describeOnPostgres, useDatabase, withClient } from '../support/databases.ts';

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

/** Those that the service makes, those that operators choose for companies, and what comes near to either. */
const ids = fc.constantFrom(...(Object.keys(prefixes) as IdField[])).chain((field) => {
  const prefix = prefixes[field];
  const chosen = fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/);
  return fc.record({
    field: fc.constant(field),
    id: fc.oneof(
      digits(32).map((end) => `${prefix}_${end}`),
      digits(32).map((end) => `${prefix}_${end.toUpperCase()}`),
      fc.oneof(digits(31), digits(33)).map((end) => `${prefix}_${end}`),
      digits(32).map((end) => `x${prefix}_${end}`),
      chosen.map((end) => `${prefix}_${end}`),
      fc.stringMatching(/^[0-9A-Za-z_-]{15,17}$/),
      digits(32),
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    ),
  });
});
await describeOnPostgres('an id of an access record', (createDatabase) => {
  const database = useDatabase(createDatabase);

  test('is the same bytes here and in the database, and comes back as it was', () =>
    withClient(database.url, (client) =>
      fc.assert(
        fc.asyncProperty(ids, async ({ field, id }) => {
          const { rows } = await client.query(
            `select encode(id_bytes($1, $2), 'hex') as bytes, id_text($1, decode($3, 'hex')) as text`,
            [prefixes[field], id, idBytes(field, id)],
          );
          expect(rows).toEqual([{ bytes: idBytes(field, id), text: id }]);
        }),
        { numRuns: 500 },
      ),
    ));

  test('is never that of another one', () => {
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        fc.pre(one.id !== other.id);
        expect(idBytes(one.field, one.id)).not.toBe(idBytes(one.field, other.id));
      }),
    );
  });

  test('is what a list shows, whichever form it has', async () => {
    const { accessRecords } = database.repositories;
    const made = '0198c0ffee0070008000000000000001';
    const records = [`co_${made}`, 'co_acme', 'co_sixteen_chars', `co_${made.toUpperCase()}`].map(
      (companyId, index): AccessRecord => ({
        id: index === 0 ? `rec_${made}` : `rec_${index}`,
        occurredAt: new Date(),
        requestId: `req_${made}`,
        protocol: 'rest',
        keyId: `key_${made}`,
        contactId: null,
        investorId: 'inv_1',
        companyId,
        scope: 'metrics:read',
        resource: 'metrics',
        metricKey: null,
        grantId: `ar_${made}`,
        outcome: 'allowed',
        count: 1,
      }),
    );
    for (const record of records) await accessRecords.record(record);
    for (const record of records) {
      const { companyId } = record;
      const shown = await accessRecords.listOfCompany({ companyId: companyId ?? '', limit: 9 });
      expect(shown).toEqual([{ ...record, investorName: null }]);
    }
  });

  test('takes seventeen bytes of the table instead of thirty-seven', async () => {
    const { rows } = await withClient(database.url, (client) =>
      client.query(`select distinct pg_column_size(request_id) as bytes from access_record`),
    );
    expect(rows).toEqual([{ bytes: 17 }]);
  });
});
