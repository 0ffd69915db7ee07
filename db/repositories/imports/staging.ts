import type { ImportLine, ImportRecord } from '#core';
import { type Store, sql, transact, write } from '../../store.ts';

type RecordType = ImportRecord['type'];

/** The columns of each staging table after import_id, with their types. */
const columns = {
  company: {
    line: 'bigint',
    company_id: 'text',
    name: 'text',
    environment: 'text',
  },
  metric: {
    line: 'bigint',
    company_id: 'text',
    key: 'text',
    label: 'text',
    category: 'text',
    period: 'date',
    currency: 'text',
    raw_value: 'numeric',
    value: 'text',
    as_of: 'timestamptz',
    confidence: 'text',
    source_system: 'text',
    source_method: 'text',
    last_synced: 'timestamptz',
    verified: 'boolean',
  },
  source: {
    line: 'bigint',
    company_id: 'text',
    provider: 'text',
    account_name: 'text',
    status: 'text',
    last_synced_at: 'timestamptz',
  },
  account: {
    line: 'bigint',
    company_id: 'text',
    id: 'text',
    provider: 'text',
    name: 'text',
    type: 'text',
    currency: 'text',
    balance: 'text',
    raw_balance: 'numeric',
    last_four: 'text',
    last_synced_at: 'timestamptz',
  },
} satisfies Record<RecordType, Record<string, string>>;

const recordTypes = Object.keys(columns) as RecordType[];

export const stagingTables = recordTypes.map((type) => `import_${type}`);

type StagedRow = Record<string, string | number | boolean | Date | null>;

/**
 * One statement for each type of record in the batch. The rows travel as one JSON text, amounts in it as text, so that
 * the server reads every digit.
 */
export async function stageLines(
  store: Store,
  importId: string,
  batch: readonly ImportLine[],
): Promise<void> {
  const rows = Map.groupBy(batch, ({ record }) => record.type);
  // One commit a batch, however many types of record it holds.
  await transact(store, async (inside) => {
    for (const [type, lines] of rows) {
      await write(inside, stageStatement(type, importId, lines.map(toRow)));
    }
  });
}

function stageStatement(type: RecordType, importId: string, rows: readonly StagedRow[]) {
  const names = sql.raw(Object.keys(columns[type]).join(', '));
  const typed = Object.entries(columns[type]).map((column) => column.join(' '));
  return sql`insert into ${sql.table(`import_${type}`)} (import_id, ${names})
    select ${importId}::text, ${names}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as staged (${sql.raw(typed.join(', '))})`;
}

function toRow({ line, record }: ImportLine): StagedRow {
  switch (record.type) {
    case 'company': {
      const { id, name, environment } = record.company;
      return { line, company_id: id, name, environment };
    }
    case 'metric': {
      const { metric } = record;
      return {
        line,
        company_id: metric.companyId,
        key: metric.key,
        label: metric.label,
        category: metric.category,
        period: metric.period,
        currency: metric.currency,
        raw_value: metric.rawValue,
        value: metric.value,
        as_of: metric.asOf,
        confidence: metric.confidence,
        source_system: metric.source.system,
        source_method: metric.source.method,
        last_synced: metric.source.lastSynced,
        verified: metric.verification.verified,
      };
    }
    case 'source': {
      const { source } = record;
      return {
        line,
        company_id: source.companyId,
        provider: source.provider,
        account_name: source.accountName,
        status: source.status,
        last_synced_at: source.lastSyncedAt,
      };
    }
    case 'account': {
      const { account } = record;
      return {
        line,
        company_id: account.companyId,
        id: account.id,
        provider: account.provider,
        name: account.name,
        type: account.type,
        currency: account.currency,
        balance: account.balance,
        raw_balance: account.rawBalance,
        last_four: account.lastFour,
        last_synced_at: account.lastSyncedAt,
      };
    }
  }
}
