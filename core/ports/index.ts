import type { AccessRecords } from './access-records.ts';
import type { AccessRequests } from './access-requests.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Clock } from './clock.ts';
import type { CompanyData } from './company-data.ts';
import type { Cryptography } from './cryptography.ts';
import type { Directory } from './directory.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { Ids } from './ids.ts';
import type { Imports } from './imports.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { StandingReader } from './standing-reader.ts';

/** What the database keeps. Each of these must reject with `service_unavailable` when it is down or too slow. */
export interface Repositories {
  readonly accessRecords: AccessRecords;
  readonly accessRequests: AccessRequests;
  readonly apiKeys: ApiKeys;
  readonly companyData: CompanyData;
  readonly directory: Directory;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly imports: Imports;
  readonly standings: StandingReader;
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
