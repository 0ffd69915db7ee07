import { accessEventsContract } from './access-events.contract.ts';
import { accessFactsReaderContract } from './access-facts-reader.contract.ts';
import { accessRecordsContract } from './access-records.contract.ts';
import { accessRequestsContract } from './access-requests.contract.ts';
import { accessStatisticsContract } from './access-statistics.contract.ts';
import { actingCredentialsContract } from './acting-credentials.contract.ts';
import { companyDataContract } from './company-data.contract.ts';
import { contactsContract, receivedContract } from './company-side.contract.ts';
import type { Open } from './contract.ts';
import { dataEventsContract } from './data-events.contract.ts';
import { directoryContract } from './directory.contract.ts';
import { erasuresContract } from './erasures.contract.ts';
import { exportsContract } from './exports.contract.ts';
import { idempotencyKeysContract } from './idempotency-keys.contract.ts';
import { importedRevisionsContract } from './import-revisions.contract.ts';
import { importsContract } from './imports.contract.ts';
import { keysContract } from './keys.contract.ts';
import { mailsContract } from './mails.contract.ts';
import { metricSignaturesContract } from './metric-signatures.contract.ts';
import { portfolioPagesContract } from './portfolio-pages.contract.ts';
import { pushesContract } from './pushes.contract.ts';
import { receiptsContract } from './receipts.contract.ts';
import { settingsChangesContract } from './settings-changes.contract.ts';
import { signInContract } from './sign-in.contract.ts';
import { signingKeysContract } from './signing-keys.contract.ts';
import { staleSourcesContract } from './stale-sources.contract.ts';
import { upstreamSignersContract } from './upstream-signers.contract.ts';
import { voidsContract } from './voids.contract.ts';
import { webhooksContract } from './webhooks.contract.ts';

/** Every contract of a port that a store must implement. */
const contracts = [
  directoryContract,
  portfolioPagesContract,
  keysContract,
  accessRecordsContract,
  accessRequestsContract,
  accessEventsContract,
  dataEventsContract,
  staleSourcesContract,
  accessStatisticsContract,
  accessFactsReaderContract,
  actingCredentialsContract,
  contactsContract,
  receivedContract,
  exportsContract,
  idempotencyKeysContract,
  companyDataContract,
  importsContract,
  importedRevisionsContract,
  mailsContract,
  metricSignaturesContract,
  pushesContract,
  receiptsContract,
  settingsChangesContract,
  signInContract,
  signingKeysContract,
  upstreamSignersContract,
  voidsContract,
  webhooksContract,
  erasuresContract,
];

export function describeRepositories(open: Open): void {
  for (const describeContract of contracts) describeContract(open);
}
