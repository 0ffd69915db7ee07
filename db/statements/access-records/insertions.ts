import type { RawBuilder } from 'kysely';
import type { AccessRecord } from '#core';
import { type AddParameter, compiledOnce } from '../../connections/compiled-once.ts';
import { snakeCase, sql } from '../../connections/store.ts';
import { toArray } from '../rows.ts';
import { fields, types } from './columns.ts';

type Field = keyof AccessRecord;

/** A list of record fields, with the SQL for these fields. The SQL never changes, so it is built once. */
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

/** Most reads use an API key, so their records need no contact ID. */
const ofReadByKey = fieldsOf(ofRead.names.filter((field) => field !== 'contactId'));

/** Returns SQL for the records as rows, with one parameter for each column. */
function rows({ names, types }: Fields, parameter: AddParameter<readonly AccessRecord[]>) {
  const arrays = names.map((name) => {
    const read = (record: AccessRecord) =>
      name === 'occurredAt' ? record.occurredAt.toISOString() : record[name];
    return sql`${parameter((records) => toArray(records.map(read)))}::${types.get(name)}`;
  });
  return sql`unnest(${sql.join(arrays)})`;
}

const insertionOf = (fields: Fields) =>
  compiledOnce(
    (parameter: AddParameter<readonly AccessRecord[]>) =>
      sql`insert into access_record (${fields.columns}) select * from ${rows(fields, parameter)}`,
  );

const insertion = insertionOf(ofRead);
const insertionByKeys = insertionOf(ofReadByKey);

/** Inserts all records or none, because all callers in the batch get the same result. */
export const readInsertion = (records: readonly AccessRecord[]) =>
  records.every(({ contactId }) => contactId === null)
    ? insertionByKeys(records)
    : insertion(records);

/**
 * A repetition skips records that an earlier attempt has committed, but can't see records whose commit still waits for
 * a standby. So the commits don't wait for standbys. Otherwise, a repetition could write a record twice.
 */
export const refusalInsertion = (
  refusals: readonly AccessRecord[],
  { isRepetition }: { readonly isRepetition: boolean },
) => sql`
  insert into access_record (${all.columns})
  select * from ${rows(all, (read) => sql.val(read(refusals)))} as refusal (${all.columns})
  where set_config('synchronous_commit', 'local', true) is not null
    ${isRepetition ? ifNotStored : sql``}`;

const ifNotStored = sql`
  and not exists (
    select from access_record as there
    where hashtext(there.investor_id) = hashtext(refusal.investor_id)
      and hashtext(there.scope) = hashtext(refusal.scope)
      and there.investor_id = refusal.investor_id and there.scope = refusal.scope
      and there.occurred_at = refusal.occurred_at and there.id = refusal.id
  )`;
