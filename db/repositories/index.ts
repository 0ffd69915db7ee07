import type { Repositories } from '#core';
import type { BatchLimits } from '../batch.ts';
import { translating } from '../outages.ts';
import type { RefusalQueue } from '../refusal-queue.ts';
import type { Stores } from '../stores.ts';
import { createAccessFactsReader } from './access-facts-reader.ts';
import { createAccessRecords } from './access-records.ts';
import { createAccessRequests } from './access-requests.ts';
import { createApiKeys } from './api-keys.ts';
import { createCompanyData } from './company-data.ts';
import { createDirectory } from './directory.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createImports } from './imports/index.ts';

export function createRepositories(
  stores: Stores,
  limits: BatchLimits,
  refusals: RefusalQueue,
): Repositories {
  const { requests, longWork } = stores;
  // What every read asks: the next statement answers more at once when it waits for the one before it.
  const oneByOne = { ...limits, inFlight: 1 };
  return {
    accessRecords: translating(createAccessRecords(stores, oneByOne, refusals)),
    accessRequests: translating(createAccessRequests(stores, limits)),
    apiKeys: translating(createApiKeys(requests)),
    companyData: translating(createCompanyData(stores, limits)),
    directory: translating(createDirectory(stores, limits)),
    idempotencyKeys: translating(createIdempotencyKeys(requests)),
    imports: translating(createImports(longWork)),
    accessFacts: translating(createAccessFactsReader(stores, oneByOne)),
  };
}
