import type { MigrationObject } from '@mikro-orm/core';
import { Identity } from './20261125-01-identity.ts';
import { SigningKeys } from './20261125-02-signing-keys.ts';
import { CompanyData } from './20261125-03-company-data.ts';
import { CompanyDataVersions } from './20261125-04-company-data-versions.ts';
import { Imports } from './20261125-05-imports.ts';
import { Consent } from './20261125-06-consent.ts';
import { Receipts } from './20261125-07-receipts.ts';
import { History } from './20261125-08-history.ts';
import { AccessRecords } from './20261125-09-access-records.ts';
import { AccessCounts } from './20261125-10-access-counts.ts';
import { Notices } from './20261125-11-notices.ts';
import { SignIn } from './20261125-12-sign-in.ts';
import { WriteCheck } from './20261125-13-write-check.ts';
import { RowLevelSecurity } from './20261125-14-row-level-security.ts';

/**
 * In the order in which they are run. They are listed here, not found in a folder, because a compiled package must have
 * the same ones. Databases remember these names: never rename a released migration, never change what it does.
 */
export const migrations: MigrationObject[] = [
  { name: '20261125-01-identity', class: Identity },
  { name: '20261125-02-signing-keys', class: SigningKeys },
  { name: '20261125-03-company-data', class: CompanyData },
  { name: '20261125-04-company-data-versions', class: CompanyDataVersions },
  { name: '20261125-05-imports', class: Imports },
  { name: '20261125-06-consent', class: Consent },
  { name: '20261125-07-receipts', class: Receipts },
  { name: '20261125-08-history', class: History },
  { name: '20261125-09-access-records', class: AccessRecords },
  { name: '20261125-10-access-counts', class: AccessCounts },
  { name: '20261125-11-notices', class: Notices },
  { name: '20261125-12-sign-in', class: SignIn },
  { name: '20261125-13-write-check', class: WriteCheck },
  { name: '20261125-14-row-level-security', class: RowLevelSecurity },
];
