import type { ImportLine, ImportRecord } from '#core';
import { type Store, snakeCase, sql } from '../../store.ts';

type RecordType = ImportRecord['type'];

/** The columns of each staging table after import_id, by the fields of what is staged, with their types. */
const columns = {
  company: { line: 'bigint', companyId: 'text', name: 'text', environment: 'text' },
  metric: {
    line: 'bigint',
    companyId: 'text',
    key: 'text',
    label: 'text',
    category: 'text',
    period: 'date',
    currency: 'text',
    rawValue: 'numeric',
    value: 'text',
    asOf: 'timestamptz',
    confidence: 'text',
    sourceSystem: 'text',
    sourceMethod: 'text',
    lastSynced: 'timestamptz',
    verified: 'boolean',
  },
  source: {
    line: 'bigint',
    companyId: 'text',
    provider: 'text',
    accountName: 'text',
    status: 'text',
    lastSyncedAt: 'timestamptz',
  },
  account: {
    line: 'bigint',
    companyId: 'text',
    id: 'text',
    provider: 'text',
    name: 'text',
    type: 'text',
    currency: 'text',
    balance: 'text',
    rawBalance: 'numeric',
    lastFour: 'text',
    lastSyncedAt: 'timestamptz',
  },
} satisfies Record<RecordType, Record<string, string>>;

export const stagingTables = Object.keys(columns).map((type) => `import_${type}`);

/**
 * One statement for each type of record in the batch. The rows travel as one JSON text, amounts in it as text, so that
 * the server reads every digit.
 */
export async function stageLines(
  store: Store,
  importId: string,
  batch: readonly ImportLine[],
): Promise<void> {
  const lines = Map.groupBy(batch, ({ record }) => record.type);
  // One commit a batch, however many types of record it holds.
  await store.transact(async (inside) => {
    for (const [type, own] of lines) {
      await inside.run(
        stageStatement(
          type,
          importId,
          own.map(({ line, record }) => ({ line, ...fieldsOf(record) })),
        ),
      );
    }
  });
}

function stageStatement(type: RecordType, importId: string, rows: readonly object[]) {
  const names = Object.keys(columns[type]);
  const typed = Object.entries(columns[type]).map(([name, sqlType]) => `"${name}" ${sqlType}`);
  return sql`
    insert into ${sql.table(`import_${type}`)} (import_id, ${sql.raw(names.map(snakeCase).join(', '))})
    select ${importId}::text, ${sql.raw(names.map((name) => `"${name}"`).join(', '))}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as staged (${sql.raw(typed.join(', '))})`;
}

/** What of a record is staged; the server leaves out what has no column. */
function fieldsOf(record: ImportRecord): object {
  switch (record.type) {
    case 'company':
      return { ...record.company, companyId: record.company.id };
    case 'metric': {
      const { source, verification, ...metric } = record.metric;
      return {
        ...metric,
        sourceSystem: source.system,
        sourceMethod: source.method,
        lastSynced: source.lastSynced,
        verified: verification.verified,
      };
    }
    case 'source':
      return record.source;
    case 'account':
      return record.account;
  }
}
