import type { KeyUses } from '../model/identity/key-uses.ts';
import type { Clock, Cryptography, Ids } from '../model/platform.ts';
import type { SignInWay } from '../model/sign-in/sign-in-way.ts';
import type { AccessRecords } from './access-records.ts';
import type { ApprovalRules } from './approval-rules.ts';
import type { CompanyData, Directory, Imports, MetricSignatures } from './company-data.ts';
import type { AccessFactsReader, AccessRequests, IdempotencyKeys } from './consent.ts';
import type { Consistency } from './consistency.ts';
import type { Erasures } from './erasures.ts';
import type { AccessEvents, EventFeed } from './events.ts';
import type { Exports } from './exports.ts';
import type {
  AccessTokens,
  ActingCredentials,
  ApiKeys,
  CompanyKeys,
  Contacts,
  RateLimiter,
} from './identity.ts';
import type { OpenIdConnect } from './open-id-connect.ts';
import type { JwsVerifier, Signer, SigningKeys, UpstreamSigners } from './proof.ts';
import type { Mails } from './queues.ts';
import type { Receipts } from './receipts.ts';
import type { SettingsChanges } from './settings-changes.ts';
import type { DeskSessions, SignInLinks } from './sign-in.ts';
import type { OpenSpool } from './spool.ts';
import type { AccessStatistics } from './statistics.ts';
import type { WebhookDeliveries, WebhookEndpoints, Webhooks } from './webhooks.ts';

/**
 * The repositories must reject with `service_unavailable` if the database is down or too slow. Each `transact` runs the
 * work in one transaction, after it has checked the credential. If the work rejects, nothing is written. The work must
 * await only the methods of its argument.
 */
export interface Repositories {
  readonly accessEvents: AccessEvents;
  readonly accessFacts: AccessFactsReader;
  readonly accessRecords: AccessRecords;
  readonly accessRequests: AccessRequests;
  readonly accessStatistics: AccessStatistics;
  readonly actingCredentials: ActingCredentials;
  readonly apiKeys: ApiKeys;
  readonly approvalRules: ApprovalRules;
  readonly companyData: CompanyData;
  readonly companyKeys: CompanyKeys;
  readonly consistency: Consistency;
  readonly contacts: Contacts;
  readonly deskSessions: DeskSessions;
  readonly directory: Directory;
  readonly erasures: Erasures;
  readonly exports: Exports;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly imports: Imports;
  readonly mails: Mails;
  readonly metricSignatures: MetricSignatures;
  readonly receipts: Receipts;
  readonly settingsChanges: SettingsChanges;
  readonly signInLinks: SignInLinks;
  readonly signingKeys: SigningKeys;
  readonly upstreamSigners: UpstreamSigners;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookEndpoints: WebhookEndpoints;
}

export interface Settings {
  /** Days after which an unanswered access request expires. */
  readonly pendingTtlDays: number;
  /** The default duration of a grant, in days. */
  readonly grantTtlDays: number;
  /** Returns the URL of the public keys. The URL is unknown until the service listens. */
  readonly publicKeyUrl: () => string;
  readonly signInWays: readonly SignInWay[];
}

export interface Ports extends Repositories {
  readonly accessTokens: AccessTokens | null;
  readonly clock: Clock;
  readonly cryptography: Cryptography;
  readonly eventFeed: EventFeed;
  readonly ids: Ids;
  readonly jwsVerifier: JwsVerifier;
  readonly openIdConnect: OpenIdConnect | null;
  readonly openSpool: OpenSpool;
  readonly keyUses: { readonly apiKeys: KeyUses; readonly companyKeys: KeyUses };
  readonly rateLimiter: RateLimiter;
  /** Called after a change to an access request was committed with an unsigned receipt. */
  readonly reportUnsignedReceipt: (accessRequestId: string) => void;
  readonly settings: Settings;
  readonly signer: Signer;
  readonly webhooks: Webhooks;
}
