import type { Exports } from './company-data/export-ports.ts';
import type { CompanyData, Directory, Imports, MetricSignatures } from './company-data/ports.ts';
import type { AccessRecordArchive } from './consent/archive/ports.ts';
import type { AccessFactsReader, AccessRequests, IdempotencyKeys } from './consent/ports.ts';
import type { Receipts } from './consent/receipts/ports.ts';
import type { AccessRecords } from './consent/record-ports.ts';
import type { AccessStatistics } from './consent/statistics/ports.ts';
import type { EventFeed } from './events/event-feed.ts';
import type { Mails } from './events/mail-ports.ts';
import type { AccessEvents } from './events/ports.ts';
import type { WebhookDeliveries, WebhookEndpoints, Webhooks } from './events/webhook-ports.ts';
import type { KeyUses } from './identity/key-uses.ts';
import type { ApiKeys, CompanyKeys, Contacts, RateLimiter } from './identity/ports.ts';
import type { Clock, Cryptography, Ids } from './platform.ts';
import type { JwsVerifier, Signer, SigningKeys, UpstreamSigners } from './proof/ports.ts';
import type { DeskSessions, SignInLinks } from './sign-in/ports.ts';

/** What the database keeps. Each of these must reject with `service_unavailable` when it is down or too slow. */
export interface Repositories {
  readonly accessEvents: AccessEvents;
  readonly accessFacts: AccessFactsReader;
  readonly accessRecordArchive: AccessRecordArchive;
  readonly accessRecords: AccessRecords;
  readonly accessRequests: AccessRequests;
  readonly accessStatistics: AccessStatistics;
  readonly apiKeys: ApiKeys;
  readonly companyData: CompanyData;
  readonly companyKeys: CompanyKeys;
  readonly contacts: Contacts;
  readonly deskSessions: DeskSessions;
  readonly directory: Directory;
  readonly exports: Exports;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly imports: Imports;
  readonly mails: Mails;
  readonly metricSignatures: MetricSignatures;
  readonly receipts: Receipts;
  readonly signInLinks: SignInLinks;
  readonly signingKeys: SigningKeys;
  readonly upstreamSigners: UpstreamSigners;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookEndpoints: WebhookEndpoints;
}

export interface Settings {
  /** Days after which an unanswered request expires. */
  readonly pendingTtlDays: number;
  /** Days that a grant lasts when the company names no date. */
  readonly grantTtlDays: number;
  /** Where the keys are served that signatures are verified with; known once the service listens. */
  readonly publicKeyUrl: () => string;
}

/** Everything that the use cases need from outside. */
export interface Ports extends Repositories {
  readonly clock: Clock;
  readonly cryptography: Cryptography;
  readonly eventFeed: EventFeed;
  readonly ids: Ids;
  readonly jwsVerifier: JwsVerifier;
  readonly keyUses: { readonly apiKeys: KeyUses; readonly companyKeys: KeyUses };
  readonly rateLimiter: RateLimiter;
  /** Told of a request once a change of it is kept with a receipt that no key could sign. */
  readonly reportUnsignedReceipt: (accessRequestId: string) => void;
  readonly settings: Settings;
  readonly signer: Signer;
  readonly webhooks: Webhooks;
}
