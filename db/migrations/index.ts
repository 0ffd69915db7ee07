import { Consent } from './20261101-consent.ts';
import { CompanyData } from './20261102-company-data.ts';
import { ImportStaging } from './20261103-import-staging.ts';
import { AccessRecords } from './20261121-access-records.ts';
import { DataVersion } from './20261121-data-version.ts';
import { RecordsByScope } from './20261121-records-by-scope.ts';
import { CountedRefusals } from './20261122-counted-refusals.ts';
import { WriteCheck } from './20261122-write-check.ts';

/**
 * In the order in which they are run. Listed, not found in a folder, so that they are the same in a compiled package.
 * The names stand in the databases out there: never change one, never change what one does.
 */
export const migrations = [
  { name: '20261101-consent', class: Consent },
  { name: '20261102-company-data', class: CompanyData },
  { name: '20261103-import-staging', class: ImportStaging },
  { name: '20261121-access-records', class: AccessRecords },
  { name: '20261121-data-version', class: DataVersion },
  { name: '20261121-records-by-scope', class: RecordsByScope },
  { name: '20261122-counted-refusals', class: CountedRefusals },
  { name: '20261122-write-check', class: WriteCheck },
];
