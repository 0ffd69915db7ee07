import { type ImportedMetric, type ImportLine, type ImportRecord, isSaid } from '#core';
import { type Store, snakeCase, sql } from '../../store.ts';

export const stagingTables = [
  'import_company',
  'import_metric',
  'import_revision',
  'import_source',
  'import_account',
  'import_portfolio',
] as const;

export type StagingTable = (typeof stagingTables)[number];

/** Where records of a type wait. */
export const stagingTableOf = (type: ImportRecord['type']) => `import_${type}` as const;

/** A record at its place. */
export interface StagedRecord extends ImportLine {
  /** Where it is in its file, as `ImportLine` has it: several may have the same; `line` numbers them without gaps. */
  readonly fileLine: number;
}

/** One statement for each type of record in the batch. */
export async function stageLines(
  store: Store,
  importId: string,
  batch: readonly StagedRecord[],
): Promise<void> {
  const byType = Map.groupBy(batch, ({ record }) => record.type);
  // One commit a batch, however many types of record it holds.
  await store.transact(async (inside) => {
    for (const [type, own] of byType) {
      const table = sql.table(stagingTableOf(type));
      await inside.run(sql`
        insert into ${table}
        select * from jsonb_populate_recordset(null::${table}, ${toRows(importId, own)}::jsonb)`);
    }
  });
}

/** The rows of a staging table as one JSON text, amounts in it as text, so that the server reads every digit. */
export const toRows = (importId: string, records: readonly StagedRecord[]): string =>
  JSON.stringify(
    records.map(({ record, ...line }) => toRow({ importId, ...line, ...fieldsOf(record) })),
  );

/** Numbers the records of a batch after those that are staged already. */
export const numbered = (batch: readonly ImportLine[], staged: number): StagedRecord[] =>
  batch.map(({ line, record }, index) => ({ line: staged + index + 1, fileLine: line, record }));

/** Under the names of the columns. */
export function toRow(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      columnNames.getOrInsertComputed(name, snakeCase),
      value,
    ]),
  );
}

const columnNames = new Map<string, string>();

/** What is staged of a record; the server leaves out what has no column. */
function fieldsOf(record: ImportRecord): object {
  switch (record.type) {
    case 'company':
      return { ...record.company, companyId: record.company.id };
    case 'metric':
      return fieldsOfMetric(record.metric);
    case 'revision': {
      const { metric, revision, signed } = record;
      return {
        ...fieldsOfMetric(metric),
        revision,
        environment: signed?.environment,
        signedAt: signed?.signedAt,
        signature: signed && `\\x${signed.signature.toHex()}`,
        kid: signed?.key.kid,
        publicKey: signed?.key.x,
      };
    }
    case 'source':
      return record.source;
    case 'account':
      return record.account;
    case 'portfolio':
      return record.membership;
  }
}

function fieldsOfMetric({ source, verification, ...metric }: ImportedMetric): object {
  return {
    ...metric,
    saysLabel: isSaid(metric, 'label'),
    saysCategory: isSaid(metric, 'category'),
    sourceSystem: source.system,
    sourceMethod: source.method,
    lastSynced: source.lastSynced,
    verified: verification.verified,
    sourceSignature: verification.sourceSignature,
  };
}
