import type { Environment, ImportLine, ImportRecord, MetricSignature } from '#core';
import { sql } from '../../store.ts';
import { numbered, type StagingTable, stagingTableOf, toRow, toRows } from './staging.ts';

type Fragment = ReturnType<typeof sql>;

/** The lines of one import or push, for the statements that look at them under the names of the staging tables. */
export interface StagedLines {
  readonly importId: string;
  /** The last of them, counted from 1. */
  readonly lastLine: number;
  /** Which kinds of records are among them. */
  readonly types: ReadonlySet<ImportRecord['type']>;
  /** Which rows of a staging table they are. */
  readonly areOwn: Fragment;
  /** Which values may differ from what is there, by their row of `import_signature`, if they have one, as `given`. */
  readonly mayDiffer: Fragment;
  /** The same lines, when it is known which of them change a value. Absent: they are too many to find that out under locks. */
  changing?(changed: readonly ChangedLine[]): StagedLines;
  /** Fewer lines that name each metric as all of them do; without, it takes all of them. */
  readonly naming?: StagedLines;
  /** How a statement begins that looks at these tables, up to the comma before its own common table expressions. */
  with(...tables: readonly StagingTable[]): Fragment;
  /** What lines are joined to for the row of another table that belongs to each of them. */
  rowOf(table: string, alias: string, condition: Fragment): Fragment;
  /** The same for the row of `import_signature`, as `given`. */
  signatureOf(line: string, condition: Fragment): Fragment;
}

/** Those that wait in the tables. They are many, so other tables are joined with all of them at once. */
export const linesInTables = ({
  importId,
  ...lines
}: Pick<StagedLines, 'importId' | 'lastLine' | 'types'>): StagedLines => ({
  importId,
  ...lines,
  areOwn: sql`import_id = ${importId}`,
  mayDiffer: sql`true`,
  with: () => sql`with in_tables as (select)`,
  rowOf: (table, alias, condition) => sql`${sql.table(table)} as ${sql.ref(alias)} on ${condition}`,
  signatureOf: (line, condition) => sql`import_signature as given
    on import_id = ${importId} and given.line = ${sql.ref(line)}.line and ${condition}`,
});

/** A line that changes a value, and the revision that this becomes. */
export interface ChangedLine {
  /** Counted from 1. */
  readonly line: number;
  readonly environment: Environment;
  readonly revision: number;
  /** Null: it has none. */
  readonly signature: MetricSignature | null;
}

/**
 * Those that each statement brings along. So a push writes nothing that others could see or that had to be cleaned up, and
 * its role needs no right to the tables. They are few, so a row of another table is looked up for each, however small
 * the planner takes that table for.
 */
export function linesInStatement(lines: readonly ImportLine[]): StagedLines {
  const importId = '';
  const byType = Map.groupBy(numbered(lines, 0), ({ record }) => record.type);
  const types = new Set(byType.keys());
  const texts = new Map<StagingTable, string>();
  for (const [type, records] of byType) texts.set(stagingTableOf(type), toRows(importId, records));
  const changing = (changed: readonly ChangedLine[]): StagedLines => ({
    importId,
    lastLine: lines.length,
    types,
    areOwn: sql`true`,
    mayDiffer: sql`given.line is not null`,
    with: (...tables) =>
      sql`with ${sql.join([...new Set(tables)].map((name) => bring(name, texts.get(name))))}`,
    rowOf: (table, alias, condition) => sql`lateral (
      select * from ${sql.table(table)} as ${sql.ref(alias)} where ${condition} offset 0
    ) as ${sql.ref(alias)} on true`,
    signatureOf: (line, condition) => sql`lateral jsonb_populate_record(
      null::import_signature, ${toSignatures(changed)}::jsonb -> ${sql.ref(line)}.line::text
    ) as given on ${condition}`,
  });
  return { ...changing([]), changing };
}

const bring = (table: StagingTable, rows = '[]') => sql`
  ${sql.table(table)} as materialized (
    select * from jsonb_populate_recordset(null::${sql.table(table)}, ${rows}::jsonb))`;

/** The rows of `import_signature` by their lines. */
const toSignatures = (changed: readonly ChangedLine[]): string =>
  JSON.stringify(
    Object.fromEntries(
      changed.map(({ line, environment, revision, signature: signed }) => [
        line,
        toRow({
          line,
          environment,
          revision,
          ...(signed && {
            signedAt: signed.signedAt,
            signature: `\\x${signed.signature.toHex()}`,
            signingKey: signed.keyNumber,
          }),
        }),
      ]),
    ),
  );
