import type { MigrationObject } from '@mikro-orm/core';
import { identity } from './20261125-01-identity.ts';
import { signingKeys } from './20261125-02-signing-keys.ts';
import { companyData } from './20261125-03-company-data.ts';
import { pushes } from './20261125-05-pushes.ts';
import { consent } from './20261125-06-consent.ts';
import { receipts } from './20261125-07-receipts.ts';
import { accessRecords } from './20261125-09-access-records.ts';
import { notices } from './20261125-11-notices.ts';
import { signIn } from './20261125-12-sign-in.ts';
import { settingsLog } from './20261125-13-settings-log.ts';
import { writeCheck } from './20261125-14-write-check.ts';
import { rowLevelSecurity } from './20261125-15-row-level-security.ts';

/** In execution order. A list instead of a folder, because a compiled package must have the same migrations. */
export const migrations: MigrationObject[] = [
  identity,
  signingKeys,
  companyData,
  pushes,
  consent,
  receipts,
  accessRecords,
  notices,
  signIn,
  settingsLog,
  writeCheck,
  rowLevelSecurity,
];
