import { Consent } from './20261101-consent.ts';
import { WriteCheck } from './20261105-write-check.ts';
import { CompanySide } from './20261106-company-side.ts';
import { LogicalReplication } from './20261122-logical-replication.ts';
import { ServiceRole } from './20261122-service-role.ts';
import { CompanyOfRows } from './20261127-company-of-rows.ts';
import { RowLevelSecurity } from './20261128-row-level-security.ts';
import { RequestVersions } from './20261201-request-versions.ts';
import { DenyingPolicies } from './20261204-denying-policies.ts';
import { AccessRecords } from './access-records/20261104-access-records.ts';
import { AccessRecordDays } from './access-records/20261120-access-record-days.ts';
import { AccessRecordsByDay } from './access-records/20261124-access-records-by-day.ts';
import { NarrowAccessRecordIndexes } from './access-records/20261125-narrow-access-record-indexes.ts';
import { AccessRecordArchive } from './access-records/20261126-access-record-archive.ts';
import { ShortAccessRecords } from './access-records/20261129-short-access-records.ts';
import { CountsAreKept } from './access-records/20261203-counts-are-kept.ts';
import { CompanyData } from './company-data/20261102-company-data.ts';
import { ImportStaging } from './company-data/20261103-import-staging.ts';
import { MetricRevisions } from './company-data/20261111-metric-revisions.ts';
import { ImportFileLines } from './company-data/20261113-import-file-lines.ts';
import { ImportRevisions } from './company-data/20261115-import-revisions.ts';
import { ImportedKeys } from './company-data/20261118-imported-keys.ts';
import { CompanyLists } from './company-data/20261119-company-lists.ts';
import { PortfolioPages } from './company-data/20261122-portfolio-pages.ts';
import { ImportPortfolios } from './company-data/20261123-import-portfolios.ts';
import { SignIn } from './desk/20261117-sign-in.ts';
import { DeskForms } from './desk/20261121-desk-forms.ts';
import { KeyNames } from './desk/20261123-key-names.ts';
import { Webhooks } from './notices/20261107-webhooks.ts';
import { Mail } from './notices/20261108-mail.ts';
import { MailBound } from './notices/20261109-mail-bound.ts';
import { BeginOfFeed } from './notices/20261110-begin-of-feed.ts';
import { SigningKeys } from './proof/20261110-signing-keys.ts';
import { ConsentReceipts } from './proof/20261112-consent-receipts.ts';
import { UpstreamSigners } from './proof/20261114-upstream-signers.ts';
import { ProofIsFinal } from './proof/20261116-proof-is-final.ts';
import { HistoryIsWrittenOnce } from './proof/20261203-history-is-written-once.ts';
import { LateSignatures } from './proof/20261203-late-signatures.ts';
import { RegisteredKeys } from './proof/20261203-registered-keys.ts';

/**
 * In the order in which they are run, whatever folder each is in. They are listed here, not found in a folder, because a
 * compiled package must have the same ones. Databases remember these names: never rename a released migration, never
 * change what it does.
 */
export const migrations = [
  { name: '20261101-consent', class: Consent },
  { name: '20261102-company-data', class: CompanyData },
  { name: '20261103-import-staging', class: ImportStaging },
  { name: '20261104-access-records', class: AccessRecords },
  { name: '20261105-write-check', class: WriteCheck },
  { name: '20261106-company-side', class: CompanySide },
  { name: '20261107-webhooks', class: Webhooks },
  { name: '20261108-mail', class: Mail },
  { name: '20261109-mail-bound', class: MailBound },
  { name: '20261110-begin-of-feed', class: BeginOfFeed },
  { name: '20261110-signing-keys', class: SigningKeys },
  { name: '20261111-metric-revisions', class: MetricRevisions },
  { name: '20261112-consent-receipts', class: ConsentReceipts },
  { name: '20261113-import-file-lines', class: ImportFileLines },
  { name: '20261114-upstream-signers', class: UpstreamSigners },
  { name: '20261115-import-revisions', class: ImportRevisions },
  { name: '20261116-proof-is-final', class: ProofIsFinal },
  { name: '20261117-sign-in', class: SignIn },
  { name: '20261118-imported-keys', class: ImportedKeys },
  { name: '20261119-company-lists', class: CompanyLists },
  { name: '20261120-access-record-days', class: AccessRecordDays },
  { name: '20261121-desk-forms', class: DeskForms },
  { name: '20261122-logical-replication', class: LogicalReplication },
  { name: '20261122-service-role', class: ServiceRole },
  { name: '20261122-portfolio-pages', class: PortfolioPages },
  { name: '20261123-key-names', class: KeyNames },
  { name: '20261123-import-portfolios', class: ImportPortfolios },
  { name: '20261124-access-records-by-day', class: AccessRecordsByDay },
  { name: '20261125-narrow-access-record-indexes', class: NarrowAccessRecordIndexes },
  { name: '20261126-access-record-archive', class: AccessRecordArchive },
  { name: '20261127-company-of-rows', class: CompanyOfRows },
  { name: '20261128-row-level-security', class: RowLevelSecurity },
  { name: '20261129-short-access-records', class: ShortAccessRecords },
  { name: '20261201-request-versions', class: RequestVersions },
  { name: '20261203-history-is-written-once', class: HistoryIsWrittenOnce },
  { name: '20261203-late-signatures', class: LateSignatures },
  { name: '20261203-registered-keys', class: RegisteredKeys },
  { name: '20261203-counts-are-kept', class: CountsAreKept },
  { name: '20261204-denying-policies', class: DenyingPolicies },
];
