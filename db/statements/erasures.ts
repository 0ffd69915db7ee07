import type { RawBuilder } from 'kysely';
import type {
  AccessRequest,
  ErasedPerson,
  Erasure,
  Erasures,
  Owner,
  ReceiptOfEvent,
  SettingsChange,
} from '#core';
import { columnsOf, type Store, sql } from '../connections/store.ts';
import { AccessRequestEntity } from '../entities/consent.ts';
import { SettingsChangeEntity } from '../entities/settings.ts';
import { type EventRow, eventColumns } from './access-events.ts';
import { withLockRetries } from './access-records/locks.ts';
import { removeContacts } from './contacts.ts';
import { copyNames } from './memberships.ts';
import { type ReceiptRow, receiptColumns, withReceipt } from './proof/receipt-rows.ts';
import { toReceiptOfEvent } from './proof/receipts.ts';
import { isOf, lockOwner, pagesOf, toOwner } from './rows.ts';
import { logChange } from './settings-changes.ts';

type Condition = RawBuilder<unknown>;

/** The number of rows per page. Signing the receipts of one page takes tens of milliseconds. */
const rowsAtOnce = 500;

/** Triggers that stop changes to final rows. Only the owner of the tables can disable these triggers. */
const finalityTriggers = [
  { table: 'metric_point', trigger: 'metric_point_keeps_revisions', enable: 'enable' },
  { table: 'metric_revision', trigger: 'append_only', enable: 'enable always' },
  { table: 'settings_change', trigger: 'append_only', enable: 'enable always' },
  { table: 'access_event', trigger: 'append_only', enable: 'enable always' },
  { table: 'consent_receipt', trigger: 'append_only', enable: 'enable always' },
] as const;

/** Works only for the owner of the tables, because no role of roles.sql may change final rows. */
export const createErasures = (store: Store): Erasures => ({
  eraseOwner: (erasure) =>
    withLockRetries(store, async (inside) => {
      const { owner, name, change, erasedAt, text } = erasure;
      const isOwn = isOf(owner);
      await lockOwner(inside, owner, 'update');
      const live = await inside.run(sql<{ id: string }>`
        select id from access_request
        where ${isOwn} and status in ('pending', 'approved')
          and deadline_at > ${erasedAt}::timestamptz
        order by created_at, id`);
      if (live.length > 0) return { live: live.map(({ id }) => id) };
      return withDisabledTriggers(inside, async () => {
        const receipts = await eraseConsents(inside, isOwn, erasure);
        await eraseRequests(inside, isOwn, erasure);
        await eraseEntries(inside, isOwn, erasure);
        if ('companyId' in owner) await eraseCompanyData(inside, owner.companyId, text);
        await removeOwnRows(inside, owner);
        const people = await removeContacts(inside, isOwn);
        await renameAndSuspend(inside, owner, name, erasedAt);
        await inside.run(sql`
          update ${sql.table('companyId' in owner ? 'company_key' : 'api_key')}
          set revoked_at = coalesce(revoked_at, ${erasedAt}::timestamptz),
            name = case when name is not null then ${text}::text end
          where ${isOwn}`);
        await logChange(inside, change);
        return { people: people.length, receipts };
      });
    }),

  erasePerson: (erasure) =>
    withLockRetries(store, async (inside) => {
      const { email, isCovered, changeOf, text } = erasure;
      // Also finds longer email addresses that contain the person's address. The core decides which texts to replace.
      const names = (texts: Condition) => sql`position(${email}::text in lower(${texts})) > 0`;
      return withDisabledTriggers(inside, async () => {
        const isNamed = names(sql`access_request::text || coalesce(event.reason, '')`);
        const receipts = await eraseConsents(inside, isNamed, erasure);
        const written = sql`concat_ws(' ', purpose, pending_purpose, reason)`;
        let otherRows = await eraseRequests(inside, names(written), erasure);
        const entry = sql`actor::text || subject::text || changes::text`;
        const formerTexts = await eraseEntries(inside, names(entry), erasure);
        otherRows += formerTexts.length;
        for (const table of ['mail', 'desk_session', 'sign_in_link']) {
          const deleted = await inside.run(sql`
            delete from ${sql.table(table)} where email = ${email} returning 1`);
          otherRows += deleted.length;
        }
        const removed = await removeContacts(inside, sql`email = ${email}`);
        const isCoveredIn = async (table: string, column: Condition) => {
          const found = await inside.run(sql<{ value: string }>`
            select distinct ${column} as value from ${sql.table(table)} where ${names(column)}`);
          const values = found.map(({ value }) => value).filter(isCovered);
          return sql`${column} = any(${values}::text[])`;
        };
        for (const table of ['api_key', 'company_key']) {
          const renamed = await inside.run(sql`
            update ${sql.table(table)} set name = ${text}
            where ${await isCoveredIn(table, sql`name`)} returning 1`);
          otherRows += renamed.length;
        }
        for (const table of ['metric_point', 'metric_revision'] as const) {
          const isAffected = await isCoveredIn(table, sql`void_reason`);
          const companyIds = await eraseVoidReasons(inside, table, isAffected, text);
          await raiseVersions(inside, companyIds);
          otherRows += companyIds.length;
        }
        const present = removed.map(({ id, ...row }) => ({ contactId: id, owner: toOwner(row) }));
        const people = peopleOf([...present, ...formerTexts.flatMap(personOf(email))]);
        for (const person of people) await logChange(inside, changeOf(person));
        return { people: people.length, receipts, otherRows };
      });
    }),
});

/**
 * Runs the work while the triggers for final rows are disabled. Disabling a trigger also locks the table for other
 * writers. So no new row can contain the erased name or email address.
 */
async function withDisabledTriggers<T>(inside: Store, work: () => Promise<T>): Promise<T> {
  for (const { table, trigger } of finalityTriggers) {
    await inside.run(sql`alter table ${sql.table(table)} disable trigger ${sql.ref(trigger)}`);
  }
  const result = await work();
  for (const { table, trigger, enable } of finalityTriggers) {
    await inside.run(
      sql`alter table ${sql.table(table)} ${sql.raw(enable)} trigger ${sql.ref(trigger)}`,
    );
  }
  return result;
}

type AffectedRow = EventRow & ReceiptRow & { readonly number: string };

/** Rewrites the events and receipts that the erasure changes. Returns the number of changed receipts. */
async function eraseConsents(
  inside: Store,
  isAffected: Condition,
  { consent }: Erasure,
): Promise<number> {
  const read = (last: AffectedRow | null) =>
    inside.run(sql<AffectedRow>`
      select event.number::text, ${eventColumns}, ${receiptColumns}
      from (
        select * from access_event as event
        where investor_id is not null and ${isAffected} and number > ${last?.number ?? '0'}::bigint
        order by number limit ${rowsAtOnce}
      ) as event ${withReceipt}
      order by event.number`);
  let count = 0;
  for await (const rows of pagesOf(rowsAtOnce, read)) {
    const changed = rows.flatMap(toReceiptOfEvent).flatMap((each) => consent(each) ?? []);
    if (changed.length > 0) await inside.run(rewriting(changed));
    count += changed.length;
  }
  return count;
}

function rewriting(consents: readonly ReceiptOfEvent[]) {
  const rows = consents.map(({ event, receipt }) => ({
    event_id: event.id,
    access_request: event.accessRequest,
    reason: event.reason,
    company_name: receipt.companyName,
    investor_name: receipt.investorName,
    signing_key: receipt.signature?.keyNumber ?? null,
    signature: receipt.signature && Buffer.from(receipt.signature.bytes).toString('hex'),
    signed_at: receipt.signedAt,
  }));
  return sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (event_id text,
        access_request jsonb, reason text, company_name text, investor_name text,
        signing_key smallint, signature text, signed_at timestamptz)
    ), event as (
      update access_event set access_request = input.access_request, reason = input.reason
      from input where access_event.id = input.event_id
    )
    update consent_receipt set company_name = input.company_name,
      investor_name = input.investor_name, signing_key = input.signing_key,
      signature = decode(input.signature, 'hex'), signed_at = input.signed_at
    from input where consent_receipt.event_id = input.event_id`;
}

async function eraseRequests(
  inside: Store,
  isAffected: Condition,
  { request }: Erasure,
): Promise<number> {
  const columns = columnsOf(AccessRequestEntity, 'access_request');
  const read = (last: AccessRequest | null) =>
    inside.run(sql<AccessRequest>`
      select ${columns} from access_request where ${isAffected} and id > ${last?.id ?? ''}
      order by id limit ${rowsAtOnce}`);
  let count = 0;
  for await (const found of pagesOf(rowsAtOnce, read)) {
    const changed = found.flatMap((each) => request(each) ?? []);
    count += changed.length;
    const rows = changed.map(({ id, purpose, pendingPurpose, reason }) => ({
      ...{ id, purpose, reason },
      pending_purpose: pendingPurpose,
    }));
    await inside.run(sql`
      update access_request set purpose = input.purpose, reason = input.reason,
        pending_purpose = input.pending_purpose
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as input (id text, purpose text, reason text, pending_purpose text)
      where access_request.id = input.id`);
  }
  return count;
}

/** Rewrites the settings log entries that the erasure changes. Returns these entries with their former values. */
async function eraseEntries(
  inside: Store,
  isAffected: Condition,
  { entry }: Erasure,
): Promise<SettingsChange[]> {
  const columns = columnsOf(SettingsChangeEntity, 'settings_change');
  const read = (last: SettingsChange | null) =>
    inside.run(sql<SettingsChange>`
      select ${columns} from settings_change
      where ${isAffected}
        and (created_at, id) > (${last?.createdAt ?? new Date(0)}::timestamptz, ${last?.id ?? ''})
      order by created_at, id limit ${rowsAtOnce}`);
  const all: SettingsChange[] = [];
  for await (const found of pagesOf(rowsAtOnce, read)) {
    const rows = found.flatMap((each) => {
      const changed = entry(each);
      if (changed === null) return [];
      all.push(each);
      const { id, actor, subject, changes } = changed;
      return { id, actor, subject, changes };
    });
    await inside.run(sql`
      update settings_change set actor = input.actor, subject = input.subject, changes = input.changes
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as input (id text, actor jsonb, subject jsonb, changes jsonb)
      where settings_change.id = input.id`);
  }
  return all;
}

/** Erases a company's names and texts. Values, metric keys and source systems stay, because signatures cover them. */
async function eraseCompanyData(inside: Store, companyId: string, text: string): Promise<void> {
  await inside.run(sql`
    update metric_series set label = key where company_id = ${companyId} and label <> key`);
  const isAffected = sql`void_reason is not null
    and series_id in (select id from metric_series where company_id = ${companyId})`;
  for (const table of ['metric_point', 'metric_revision'] as const) {
    await eraseVoidReasons(inside, table, isAffected, text);
  }
  await raiseVersions(inside, [companyId]);
  for (const table of ['source', 'account']) {
    await inside.run(sql`delete from ${sql.table(table)} where company_id = ${companyId}`);
  }
  await inside.run(sql`
    update access_event set data = data || jsonb_build_object('accountName', ${text}::text, 'sources', '[]'::jsonb)
    where company_id = ${companyId} and investor_id is null
      and data->'accountName' is not null`);
}

/** Erases the reasons why values were voided. Returns the company's ID for each changed row. */
async function eraseVoidReasons(
  inside: Store,
  table: 'metric_point' | 'metric_revision',
  isAffected: Condition,
  text: string,
): Promise<string[]> {
  const changed = await inside.run(sql<{ companyId: string }>`
    with changed as (
      update ${sql.table(table)} set void_reason = ${text} where ${isAffected} returning series_id
    )
    select company_id as "companyId" from changed join metric_series on id = series_id`);
  return changed.map(({ companyId }) => companyId);
}

/** The consistency check reports rows that are newer than their company's data version. */
const raiseVersions = (inside: Store, companyIds: readonly string[]) =>
  inside.run(sql`
    update company_data_version set version = version + 1
    where company_id = any(${companyIds}::text[])`);

async function removeOwnRows(inside: Store, owner: Owner): Promise<void> {
  const isOwn = isOf(owner);
  await inside.run(sql`
    delete from webhook_delivery where endpoint_id in (select id from webhook_endpoint where ${isOwn})`);
  const repeated = 'companyId' in owner ? 'idempotent_push' : 'idempotency_key';
  for (const table of ['webhook_endpoint', 'mail', 'sign_in_link', repeated]) {
    await inside.run(sql`delete from ${sql.table(table)} where ${isOwn}`);
  }
}

async function renameAndSuspend(
  inside: Store,
  owner: Owner,
  name: string,
  erasedAt: Date,
): Promise<void> {
  const [table, id] =
    'companyId' in owner ? ['company', owner.companyId] : ['investor', owner.investorId];
  await inside.run(sql`
    update ${sql.table(table)} set name = ${name},
      suspended_at = coalesce(suspended_at, ${erasedAt}::timestamptz)
    where id = ${id}`);
  if ('companyId' in owner) await inside.run(copyNames(sql`select ${id}::text`));
}

/** Returns the person whom a settings log entry is about, if the person is a contact with the given email address. */
const personOf =
  (email: string) =>
  ({ subject: { type, id, name }, companyId, investorId }: SettingsChange): ErasedPerson[] =>
    type === 'contact' && name === email
      ? [{ contactId: id, owner: toOwner({ companyId, investorId }) }]
      : [];

const peopleOf = (found: readonly ErasedPerson[]): ErasedPerson[] => [
  ...new Map(found.map((person) => [person.contactId, person])).values(),
];
