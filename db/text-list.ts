import type { RawBuilder } from 'kysely';
import { sql } from './store.ts';

/**
 * A parameter that holds many texts, none of which may be empty or have a comma in it: identifiers, digests, names out
 * of a list, instants. The driver would write an array of its own character by character.
 *
 * For `unnest` of several lists, the first of which holds no null: PostgreSQL fills up what is shorter with nulls, as a
 * list of one null alone is, and a comma too many makes a row without its first column, which fails the statement or
 * the count of its answers.
 */
export function textList(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`string_to_array(${texts.join(',')}, ',', '')`;
}
