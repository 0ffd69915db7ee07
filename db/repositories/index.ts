import type { Repositories } from '#core';
import type { Background } from '../background.ts';
import type { BatchLimits } from '../batch.ts';
import { translating } from '../outages.ts';
import type { Store } from '../store.ts';
import { createAccessRecords } from './access-records.ts';
import { createAccessRequests } from './access-requests.ts';
import { createApiKeys } from './api-keys.ts';
import { createCompanyData } from './company-data.ts';
import { createDirectory } from './directory.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createImports } from './imports/index.ts';
import { createStandingReader } from './standing-reader.ts';

interface Stores {
  /** For what callers wait for, with limits on time. */
  readonly requests: Store;
  /** For imports and the like, without. */
  readonly longWork: Store;
}

export function createRepositories(
  stores: Stores,
  limits: BatchLimits,
  background: Background,
): Repositories {
  const { requests, longWork } = stores;
  return {
    accessRecords: translating(createAccessRecords(stores, limits, background)),
    accessRequests: translating(createAccessRequests(requests, limits)),
    apiKeys: translating(createApiKeys(requests, limits)),
    companyData: translating(createCompanyData(requests, limits)),
    directory: translating(createDirectory(requests, limits)),
    idempotencyKeys: translating(createIdempotencyKeys(requests)),
    imports: translating(createImports(longWork)),
    standings: translating(createStandingReader(requests, limits)),
  };
}
