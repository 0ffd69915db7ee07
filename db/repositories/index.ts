import type { Repositories } from '#core';
import type { BatchLimits } from '../batch.ts';
import { translating } from '../outages.ts';
import type { Store } from '../store.ts';
import { createAccessRequests } from './access-requests.ts';
import { createApiKeys } from './api-keys.ts';
import { createCompanyData } from './company-data.ts';
import { createDirectory } from './directory.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createImports } from './imports/index.ts';
import { createStandingReader } from './standing-reader.ts';

/**
 * @param requests for what callers wait for, with limits on time
 * @param longWork for imports, without
 */
export function createRepositories(
  requests: Store,
  longWork: Store,
  limits: BatchLimits,
): Repositories {
  return {
    accessRequests: translating(createAccessRequests(requests, limits)),
    apiKeys: translating(createApiKeys(requests, limits)),
    companyData: translating(createCompanyData(requests, limits)),
    directory: translating(createDirectory(requests, limits)),
    idempotencyKeys: translating(createIdempotencyKeys(requests)),
    imports: translating(createImports(longWork)),
    standings: translating(createStandingReader(requests, limits)),
  };
}
