import type { ImportLine, ImportRecord } from '#core';
import { sql } from '../../store.ts';
import { numbered, stagingTables, toRows } from './staging.ts';

type Fragment = ReturnType<typeof sql>;

/** The lines of one import or push, for the statements that look at them under the names of the staging tables. */
export interface StagedLines {
  readonly importId: string;
  /** The last of them, counted from 1. */
  readonly lastLine: number;
  /** Which kinds of records are among them. */
  readonly types: ReadonlySet<ImportRecord['type']>;
  /** How such a statement begins, up to the comma before its own common table expressions. */
  readonly with: Fragment;
}

/** Those that wait in the tables. */
export const linesInTables = (lines: Omit<StagedLines, 'with'>): StagedLines => ({
  ...lines,
  with: sql`with in_tables as (select)`,
});

/**
 * Those that each statement brings along. So a push writes nothing that others could see or that had to be cleaned up, and
 * its role needs no right to the tables.
 */
export function linesInStatement(lines: readonly ImportLine[]): StagedLines {
  const importId = '';
  const byType = Map.groupBy(numbered(lines, 0), ({ record }) => record.type);
  const rows = new Map<string, string>(
    [...byType].map(([type, own]) => [`import_${type}`, toRows(importId, own)] as const),
  );
  const tables = [...stagingTables, 'import_signature'].map(
    (name) => sql`${sql.table(name)} as materialized (
      select * from jsonb_populate_recordset(
        null::${sql.table(name)}, ${rows.get(name) ?? '[]'}::jsonb))`,
  );
  return {
    importId,
    lastLine: lines.length,
    types: new Set(byType.keys()),
    with: sql`with ${sql.join(tables)}`,
  };
}
