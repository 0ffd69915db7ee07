import {
  type AccessRecord,
  type AccessRecordArchive,
  type ArchivedRecords,
  addDays,
  type Cursor,
  type NamedRecord,
  type ReceivedRecord,
  type SoughtOutcome,
} from '#core';
import { earliest, latest } from '../access-records/windows.ts';
import { type Store, snakeCase } from '../store.ts';
import { type ArchivedDayFiles, archivedDays, names } from './archived-days.ts';
import type { FileQuestion, FileReader, OpenFiles } from './reader.ts';

interface Asked {
  readonly limit: number;
  readonly conditionOf: (day: ArchivedDayFiles) => Condition;
}

type Lists = Pick<AccessRecordArchive, 'listOfInvestor' | 'listOfCompany' | 'listReceived'>;

/**
 * The lists of what is archived. The database tells which files are needed; they are read one day after the other.
 *
 * @param reader null: this process knows no folder of files
 * @param onProblem called when files cannot be read; null: they can again
 */
export function createArchiveLists(
  store: Store,
  reader: FileReader | null,
  onProblem: (reason: Error | null) => void,
): Lists {
  async function newest(
    days: readonly ArchivedDayFiles[],
    asked: Asked,
  ): Promise<ArchivedRecords<AccessRecord>> {
    if (days.length === 0) return { records: [], unread: null };
    const records: AccessRecord[] = [];
    let next = 0;
    const readDays = async (files: OpenFiles) => {
      for (const day of days) {
        if (records.length >= asked.limit) return;
        const limit = asked.limit - records.length;
        records.push(...(await files.newest(day.files, { ...asked.conditionOf(day), limit })));
        next += 1;
      }
    };
    try {
      if (reader === null) throw new Error('ARCHIVE_DIR does not say where the archive is');
      await reader.read(readDays);
      onProblem(null);
      return { records, unread: null };
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      onProblem(reason);
      const before = addDays(new Date((days[next] ?? days.at(-1))?.day ?? ''), 1);
      // A read that was given up may still bring something: what is answered must not change.
      return { records: [...records], unread: { before, reason } };
    }
  }

  async function namesOf(field: keyof typeof names, records: readonly AccessRecord[]) {
    const ids = records.flatMap((record) => record[field] ?? []);
    const found = ids.length === 0 ? [] : await store.run(names[field](ids));
    return new Map(found.map(({ id, name }) => [id, name]));
  }

  return {
    async listOfInvestor(filter) {
      const { investorId, scopes, outcome, since, until, before, downTo, limit } = filter;
      const equal = soughtFields.flatMap((field) =>
        filter[field] === undefined ? [] : [isEqual(field, filter[field])],
      );
      const days = archivedDays.ofInvestor({
        ...filter,
        since: latest(since, downTo?.instant),
        until: earliest(until, before?.instant),
      });
      return newest(await store.run(days), {
        limit,
        conditionOf: () =>
          conditions(
            ['investor_id = $investor', { investor: investorId }],
            isOneOf('scope', scopes),
            ...equal,
            outcome !== undefined && hasOutcome(outcome),
            from(since),
            upTo(until),
            olderThan(before),
            notBefore(downTo),
          ),
      });
    },

    async listOfCompany(filter): Promise<ArchivedRecords<NamedRecord>> {
      const { companyId, keyId, since, until, limit } = filter;
      const { records, unread } = await newest(await store.run(archivedDays.ofCompany(filter)), {
        limit,
        conditionOf: () =>
          conditions(
            ['company_id = $company', { company: companyId }],
            keyId !== undefined && ['key_id = $key', { key: keyId }],
            from(since),
            upTo(until),
          ),
      });
      const known = await namesOf('investorId', records);
      const named = records.map((record) => ({
        ...record,
        investorName: known.get(record.investorId) ?? null,
      }));
      return { records: named, unread };
    },

    async listReceived(filter): Promise<ArchivedRecords<ReceivedRecord>> {
      const { companyId, scope, since, until, before, downTo, limit } = filter;
      const days = await store.run(
        archivedDays.received({
          ...filter,
          since: latest(since, downTo?.instant),
          until: earliest(until, before?.instant),
        }),
      );
      const { records, unread } = await newest(days, {
        limit,
        conditionOf: ({ investorIds }) =>
          conditions(
            ['company_id = $company', { company: companyId }],
            isOneOf('investor_id', investorIds ?? []),
            scope !== undefined && ['scope = $scope', { scope }],
            from(since),
            upTo(until),
            olderThan(before),
            notBefore(downTo),
          ),
      });
      const [investors, keys, contacts] = await Promise.all([
        namesOf('investorId', records),
        namesOf('keyId', records),
        namesOf('contactId', records),
      ]);
      const received = records.flatMap((record) => {
        const investorName = investors.get(record.investorId);
        const keyHint = record.keyId === null ? null : keys.get(record.keyId);
        if (investorName === undefined || keyHint === undefined) return [];
        const contactEmail = contacts.get(record.contactId ?? '') ?? null;
        return [{ ...record, investorName, keyHint, contactEmail }];
      });
      return { records: received, unread };
    },
  };
}

type Condition = Pick<FileQuestion, 'condition' | 'values'>;

type Part = readonly [text: string, values: Condition['values']];

function conditions(...parts: readonly (Part | false)[]): Condition {
  const given = parts.filter((part) => part !== false);
  return {
    condition: given.map(([text]) => text).join(' and '),
    values: Object.assign({}, ...given.map(([, values]) => values)),
  };
}

/** Each value is a parameter of its own. */
function isOneOf(column: string, values: readonly string[]): Part {
  const named = values.map((value, index) => [`${column}_${index}`, value] as const);
  const list = named.map(([name]) => `$${name}`).join(', ');
  return [`${column} in (${list})`, Object.fromEntries(named)];
}

/** By what the records of an investor are looked for. */
const soughtFields = ['companyId', 'keyId', 'contactId', 'protocol', 'requestId'] as const;

const isEqual = (field: (typeof soughtFields)[number], value: string): Part => [
  `${snakeCase(field)} = $${field}`,
  { [field]: value },
];

const hasOutcome = (outcome: SoughtOutcome): Part =>
  outcome === 'refused' ? [`outcome <> 'allowed'`, {}] : ['outcome = $outcome', { outcome }];

const notBefore = (place: Cursor | null | undefined): Part | false =>
  place != null && [
    '(occurred_at > make_timestamp_ms($downTo::bigint) or (occurred_at = make_timestamp_ms($downTo::bigint) and id >= $downToId))',
    { downTo: milliseconds(place.instant), downToId: place.id },
  ];

const milliseconds = (instant: Date) => BigInt(instant.getTime());

const from = (since: Date | undefined): Part | false =>
  since !== undefined && [
    'occurred_at >= make_timestamp_ms($since::bigint)',
    { since: milliseconds(since) },
  ];

const upTo = (until: Date | undefined): Part | false =>
  until !== undefined && [
    'occurred_at <= make_timestamp_ms($until::bigint)',
    { until: milliseconds(until) },
  ];

const olderThan = (place: Cursor | null): Part | false =>
  place !== null && [
    '(occurred_at < make_timestamp_ms($before::bigint) or (occurred_at = make_timestamp_ms($before::bigint) and id < $beforeId))',
    { before: milliseconds(place.instant), beforeId: place.id },
  ];
