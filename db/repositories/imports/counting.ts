import type { ImportCounts } from '#core';
import { sql } from '../../store.ts';
import { listOf } from './lines.ts';

export type StatementCounts = Pick<ImportCounts, 'inserted' | 'updated' | 'unchanged'>;

/** What to do with a row that is there already: nothing, unless one of these columns differs. */
export const updateIfDistinct = (names: readonly string[], others?: Assignments) => sql`
  do update set (${listOf(names)}) = (${listOf(names, 'excluded')})${others ? sql`, ${others}` : sql``}
  where (${listOf(names, 'kept')}) is distinct from (${listOf(names, 'excluded')})`;

type Assignments = ReturnType<typeof sql>;

/** A row version without an xmax was inserted by this statement, one with it updated. */
export const wasInserted = sql`xmax = 0 as was_inserted`;

/** Counts the last lines by what became of them; one that changed nothing has no row in `changed`. */
export const counts = sql`
  (count(*) filter (where was_inserted))::integer as inserted,
  (count(*) filter (where not was_inserted))::integer as updated,
  (count(*) filter (where was_inserted is null))::integer as unchanged`;
