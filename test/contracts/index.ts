import { describeAccessEvents } from './access-events.contract.ts';
import { describeAccessFactsReader } from './access-facts-reader.contract.ts';
import { describeAccessRecords } from './access-records.contract.ts';
import { describeAccessRequests } from './access-requests.contract.ts';
import { describeAccessStatistics } from './access-statistics.contract.ts';
import { describeApiKeys } from './api-keys.contract.ts';
import { describeCompanyData } from './company-data.contract.ts';
import {
  describeCompanyKeys,
  describeContacts,
  describeReceived,
} from './company-side.contract.ts';
import { describeDataEvents } from './data-events.contract.ts';
import { describeDirectory } from './directory.contract.ts';
import { describeExports } from './exports.contract.ts';
import { describeIdempotencyKeys } from './idempotency-keys.contract.ts';
import { describeImportedRevisions } from './import-revisions.contract.ts';
import { describeImports } from './imports.contract.ts';
import { describeMails } from './mails.contract.ts';
import { describeMetricSignatures } from './metric-signatures.contract.ts';
import type { Open } from './open.ts';
import { describePortfolioPages } from './portfolio-pages.contract.ts';
import { describePushes } from './pushes.contract.ts';
import { describeReceipts } from './receipts.contract.ts';
import { describeSettingsChanges } from './settings-changes.contract.ts';
import { describeSignIn } from './sign-in.contract.ts';
import { describeSigningKeys } from './signing-keys.contract.ts';
import { describeStaleSources } from './stale-sources.contract.ts';
import { describeUpstreamSigners } from './upstream-signers.contract.ts';
import { describeWebhooks } from './webhooks.contract.ts';

/** Every promise of the ports that a store must keep. */
export function describeRepositories(open: Open): void {
  describeDirectory('directory', open);
  describePortfolioPages('pages of a portfolio', open);
  describeApiKeys('API keys', open);
  describeAccessRecords('access records', open);
  describeAccessRequests('access requests', open);
  describeAccessEvents('access events', open);
  describeDataEvents('events of data', open);
  describeStaleSources('stale sources', open);
  describeAccessStatistics('access statistics', open);
  describeAccessFactsReader('accessFacts', open);
  describeCompanyKeys('company keys', open);
  describeContacts('contacts', open);
  describeReceived('what a company receives', open);
  describeExports('exports', open);
  describeIdempotencyKeys('idempotency keys', open);
  describeCompanyData('company data', open);
  describeImports('imports', open);
  describeImportedRevisions('imported revisions', open);
  describeMails('mails', open);
  describeMetricSignatures('metric signatures', open);
  describePushes('a push', open);
  describeReceipts('receipts', open);
  describeSettingsChanges('the log of settings', open);
  describeSignIn('signing in', open);
  describeSigningKeys('signing keys', open);
  describeUpstreamSigners('upstream signers', open);
  describeWebhooks('webhooks', open);
}
