import type { RawBuilder } from 'kysely';
import type { AccessRecord } from '#core';
import { toArray } from '../repositories/rows.ts';
import { snakeCase, sql } from '../store.ts';
import { fields, types } from './columns.ts';
import { dayOfRecord, isLate } from './days.ts';
import { idBytes, idText, isIdField } from './ids.ts';

type Field = keyof AccessRecord;

/** Some fields of a record, with the parts of a statement that they alone make: each of these is made once. */
interface Fields {
  readonly names: readonly Field[];
  readonly columns: RawBuilder<unknown>;
  readonly types: ReadonlyMap<Field, RawBuilder<unknown>>;
  /** The columns as the table keeps them, of rows that were sent. */
  readonly selected: RawBuilder<unknown>;
}

function fieldsOf(names: readonly Field[]): Fields {
  const selected = names.map((name) => {
    const column = snakeCase(name);
    return isIdField(name) ? `decode(${column}, 'hex') as ${column}` : column;
  });
  return {
    names,
    columns: sql.raw(names.map(snakeCase).join(', ')),
    types: new Map(names.map((name) => [name, sql.raw(`${types[name]}[]`)])),
    selected: sql.raw(selected.join(', ')),
  };
}

const all = fieldsOf(fields);

/** An allowed read always counts as one, which is the default of the column. */
const ofRead = fieldsOf(fields.filter((field) => field !== 'count'));

/** Most reads are those of keys. */
const ofReadByKey = fieldsOf(ofRead.names.filter((field) => field !== 'contactId'));

const ofLateDay = fieldsOf(['companyId', 'occurredAt']);

/** The ids are sent as hexadecimal digits, because an array of bytes costs the driver three times as much. */
function sentValue(record: AccessRecord, field: Field) {
  if (field === 'occurredAt') return record.occurredAt.toISOString();
  const value = record[field];
  return isIdField(field) && value !== null ? idBytes(field, value as string) : value;
}

/** The records as rows of the table, from one array for each field. */
function rows(records: readonly AccessRecord[], { names, columns, types, selected }: Fields) {
  const arrays = names.map((name) => {
    const values = records.map((record) => sentValue(record, name));
    return sql`${toArray(values)}::${types.get(name)}`;
  });
  return sql`select ${selected} from unnest(${sql.join(arrays)}) as given (${columns})`;
}

/** All of them or none: nobody is told that a record is there while another of the same statement is not. */
export const readInsertion = (records: readonly AccessRecord[], now: Date) => {
  const late = records.filter(({ occurredAt }) => isLate(occurredAt, now));
  const read = records.every(({ contactId }) => contactId === null) ? ofReadByKey : ofRead;
  return sql`
    ${insertLateDays(late)} insert into access_record (${read.columns}) ${rows(records, read)}`;
};

/**
 * A repetition looks for what an earlier attempt, whose answer was lost, may have committed. An attempt that waits for a
 * standby could not be seen by it, and would be doubled, so the record of a refusal does not wait for one. Nor can it be
 * seen once its day is archived: what is repeated so late is left out, and answered as how many refusals that were.
 */
export const refusalInsertion = (
  refusals: readonly AccessRecord[],
  { isRepetition, now }: { readonly isRepetition: boolean; readonly now: Date },
) => {
  // The server's clock is carried on by one that stands still while the machine does.
  const isLateByEither = ({ occurredAt }: AccessRecord) =>
    isLate(occurredAt, now) || isLate(occurredAt, new Date());
  const late = refusals.filter(isLateByEither);
  const given = sql`(${rows(refusals, all)}) as refusal`;
  const insertion = sql`
    insert into access_record (${all.columns}) select * from ${given}
    where set_config('synchronous_commit', 'local', true) is not null`;
  if (!isRepetition) return sql<LeftOut>`${insertLateDays(late)} ${insertion}`;
  return sql<LeftOut>`
    ${insertLateDays(late)} ${late.length === 0 ? sql`with` : sql`,`} repeated as (
      ${insertion} ${unlessThere} and not ${isArchived}
    )
    select coalesce(sum(count), 0)::int as "leftOut" from ${given}
    where ${isArchived} ${unlessThere}`;
};

interface LeftOut {
  readonly leftOut: number;
}

const isArchived = sql`exists (
  select from access_record_archive as archived
  where archived.day = ${dayOfRecord} and not archived.is_forgotten
)`;

/** A record of a day that was counted already marks, in the same statement, that the day is to be counted again. */
const insertLateDays = (late: readonly AccessRecord[]) =>
  late.length === 0
    ? sql``
    : sql`with marked as (
        insert into access_record_late (company_id, day)
        select distinct ${idText('companyId')}, ${dayOfRecord}
        from (${rows(late, ofLateDay)}) as late
        where company_id is not null
      )`;

const unlessThere = sql`
    and not exists (
      select from access_record as there
      where hashtext(${idText('investorId', 'there')}) = hashtext(${idText('investorId', 'refusal')})
        and hashtext(there.scope) = hashtext(refusal.scope)
        and there.investor_id = refusal.investor_id and there.scope = refusal.scope
        and there.occurred_at = refusal.occurred_at and there.id = refusal.id
    )`;
