import type { Clock } from './clock.ts';
import type { CompanyData } from './company-data/ports/company-data.ts';
import type { Directory } from './company-data/ports/directory.ts';
import type { Imports } from './company-data/ports/imports.ts';
import type { AccessFactsReader } from './consent/ports/access-facts-reader.ts';
import type { AccessRecords } from './consent/ports/access-records.ts';
import type { AccessRequests } from './consent/ports/access-requests.ts';
import type { IdempotencyKeys } from './consent/ports/idempotency-keys.ts';
import type { ApiKeys } from './identity/ports/api-keys.ts';
import type { Cryptography } from './identity/ports/cryptography.ts';
import type { RateLimiter } from './identity/ports/rate-limiter.ts';
import type { Ids } from './ids.ts';

/** What the database keeps. Each of these must reject with `service_unavailable` when it is down or too slow. */
export interface Repositories {
  readonly accessRecords: AccessRecords;
  readonly accessRequests: AccessRequests;
  readonly apiKeys: ApiKeys;
  readonly companyData: CompanyData;
  readonly directory: Directory;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly imports: Imports;
  readonly accessFacts: AccessFactsReader;
}

export interface Settings {
  /** Days after which an unanswered request expires. */
  readonly pendingTtlDays: number;
  /** Days that a grant lasts when the company names no date. */
  readonly grantTtlDays: number;
}

/** Everything that the use cases need from outside. */
export interface Ports extends Repositories {
  readonly clock: Clock;
  readonly cryptography: Cryptography;
  readonly ids: Ids;
  readonly rateLimiter: RateLimiter;
  readonly settings: Settings;
}
