import type { RawBuilder } from 'kysely';
import type { AccessRecord } from '#core';
import { snakeCase, sql } from '../../connections/store.ts';
import { toArray } from '../rows.ts';
import { fields, types } from './columns.ts';

type Field = keyof AccessRecord;

/** Some fields of a record, with the parts of their SQL that never change. These parts are built once. */
interface Fields {
  readonly names: readonly Field[];
  readonly columns: RawBuilder<unknown>;
  readonly types: ReadonlyMap<Field, RawBuilder<unknown>>;
}

const fieldsOf = (names: readonly Field[]): Fields => ({
  names,
  columns: sql.raw(names.map(snakeCase).join(', ')),
  types: new Map(names.map((name) => [name, sql.raw(`${types[name]}[]`)])),
});

const all = fieldsOf(fields);

/** The record of an allowed read needs no count, because the default count is 1. */
const ofRead = fieldsOf(fields.filter((field) => field !== 'count'));

/** Most reads use a key, so their records need no contact ID. */
const ofReadByKey = fieldsOf(ofRead.names.filter((field) => field !== 'contactId'));

function rows(records: readonly AccessRecord[], { names, types }: Fields) {
  const arrays = names.map((name) => {
    const values = records.map((record) =>
      name === 'occurredAt' ? record.occurredAt.toISOString() : record[name],
    );
    return sql`${toArray(values)}::${types.get(name)}`;
  });
  return sql`unnest(${sql.join(arrays)})`;
}

/** Inserts all records or none. Otherwise one caller's success could hide another caller's failure. */
export const readInsertion = (records: readonly AccessRecord[]) => {
  const read = records.every(({ contactId }) => contactId === null) ? ofReadByKey : ofRead;
  return sql`insert into access_record (${read.columns}) select * from ${rows(records, read)}`;
};

/**
 * A repetition skips records that an earlier attempt has committed. Records of refusals don't wait for standbys.
 * Otherwise a repetition could not see an attempt that is still waiting for a standby, and would write duplicates.
 */
export const refusalInsertion = (
  refusals: readonly AccessRecord[],
  { isRepetition }: { readonly isRepetition: boolean },
) => sql`
  insert into access_record (${all.columns})
  select * from ${rows(refusals, all)} as refusal (${all.columns})
  where set_config('synchronous_commit', 'local', true) is not null
    ${isRepetition ? unlessThere : sql``}`;

const unlessThere = sql`
  and not exists (
    select from access_record as there
    where hashtext(there.investor_id) = hashtext(refusal.investor_id)
      and hashtext(there.scope) = hashtext(refusal.scope)
      and there.investor_id = refusal.investor_id and there.scope = refusal.scope
      and there.occurred_at = refusal.occurred_at and there.id = refusal.id
  )`;
