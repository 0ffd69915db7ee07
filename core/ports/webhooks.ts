import type { Grantee } from '../model/consent/access-policy.ts';
import type { Cursor } from '../model/cursor.ts';
import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type {
  DeliveryState,
  WebhookDelivery,
  WebhookOutcome,
} from '../model/events/webhook-delivery.ts';
import type { WebhookDisabledReason, WebhookEndpoint } from '../model/events/webhook-endpoint.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { Lease } from './queues.ts';

/** Methods check a given credential first. Each change is written with its entry in the settings log. */
export interface WebhookEndpoints {
  /** Must return false and add nothing if the owner already has `most` endpoints, even if several are added at once. */
  add(
    credential: ActingCredential | null,
    endpoint: WebhookEndpoint,
    most: number,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Returns null if the endpoint doesn't exist or was removed. */
  find(id: string): Promise<WebhookEndpoint | null>;
  /** Lists endpoints, oldest first. Null means the endpoints of all owners. */
  list(owner: Owner | null): Promise<WebhookEndpoint[]>;
  /** Removes the endpoint and stops its deliveries. Returns false if the endpoint doesn't exist. */
  remove(
    credential: ActingCredential | null,
    id: string,
    now: Date,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Saves only the given fields. Returns true if the endpoint exists. */
  change(
    credential: ActingCredential | null,
    endpoint: Pick<WebhookEndpoint, 'id'> & Partial<Pick<WebhookEndpoint, 'url' | 'types'>>,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Must return false and change nothing if another rotation has replaced the secret `old`. */
  saveSecrets(
    credential: ActingCredential | null,
    endpoint: WebhookEndpoint,
    old: string,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Disables the endpoint. Its pending deliveries fail. */
  disable(
    id: string,
    reason: WebhookDisabledReason,
    now: Date,
    change: SettingsChange,
  ): Promise<void>;
  /**
   * Enables the endpoint. The endpoint gets only new events. Failed deliveries stay failed. Returns true if the
   * endpoint exists.
   *
   * @param change null if the endpoint is already enabled
   */
  enable(
    credential: ActingCredential | null,
    id: string,
    change: SettingsChange | null,
  ): Promise<boolean>;
}

/** The right of one process to deliver to an endpoint, until the claim is released or the lease expires. */
export interface WebhookClaim {
  readonly id: string;
  readonly endpointId: string;
}

export interface DueDelivery {
  readonly delivery: WebhookDelivery;
  /** Null if the company has left the owner's portfolio, or if the company or the owner is suspended. */
  readonly event: FeedEvent | null;
}

export interface DeliveryQuery {
  readonly endpointId: string;
  readonly state: DeliveryState | null;
  readonly before: Cursor | null;
  readonly limit: number;
}

export interface WebhookDeliveries {
  /**
   * Takes the next events of the feed. For each event, queues a delivery for each endpoint that should get the event.
   * The deliveries are due at once. Each event must be taken exactly once, even with many processes or after a crash.
   * At most `maxWaiting` data events of one company can wait for one endpoint. If there are more, must drop the oldest
   * and count them in the endpoint's `droppedDataEvents`. Returns the number of events, or 0 while another process
   * queues deliveries.
   */
  queue(plan: {
    readonly isWanted: (
      endpoint: WebhookEndpoint,
      event: FeedEvent,
      granted: ReadonlyMap<string, readonly Grantee[]>,
      now: Date,
    ) => boolean;
    readonly now: Date;
    readonly limit: number;
    readonly maxWaiting: number;
  }): Promise<number>;
  /**
   * Claims endpoints with due deliveries, the longest overdue first. Many deliveries of one endpoint must not slow down
   * the claim of another endpoint. At most `perOwner` endpoints of one owner can be claimed at the same time.
   */
  claim(lease: Lease & { readonly id: string; readonly perOwner: number }): Promise<WebhookClaim[]>;
  /**
   * Returns due deliveries of an endpoint, the longest overdue first. The list alternates between the companies, and
   * within a company between data events and other events. So many data events of one company don't delay other
   * deliveries.
   */
  listDue(endpointId: string, now: Date, limit: number): Promise<DueDelivery[]>;
  /** Stores a delivery after an attempt. Must change nothing if another attempt was stored meanwhile. */
  settle(before: WebhookDelivery, after: WebhookDelivery): Promise<void>;
  /** The endpoint is due again at its next delivery. Changes nothing if another process took over the claim. */
  release(claim: WebhookClaim): Promise<void>;
  /** Deliveries of claimed endpoints aren't counted as overdue. */
  readBacklog(now: Date): Promise<Backlog>;
  find(endpointId: string, eventId: string): Promise<WebhookDelivery | null>;
  /** Lists deliveries, newest first. */
  list(query: DeliveryQuery): Promise<WebhookDelivery[]>;
  /**
   * Checks the credential first. Makes deliveries due now, and counts their attempts from 0 again. If `eventId` is
   * given, this applies only to the delivery of that event, unless the delivery is pending. Otherwise it applies to all
   * failed deliveries. Returns the number of these deliveries.
   */
  replay(
    credential: ActingCredential | null,
    endpointId: string,
    eventId: string | null,
    now: Date,
  ): Promise<number>;
  /**
   * Removes delivered and failed deliveries that were created before the time `before`, and all deliveries of removed
   * endpoints. Returns the number of removed deliveries.
   */
  deleteOld(before: Date, limit: number): Promise<number>;
}

export interface Webhooks {
  readonly sender: WebhookSender;
  /** Returns the body of a webhook. The body contains only the data of the event that the owner may see. */
  readonly write: (event: FeedEvent, owner: Owner) => Promise<string>;
  readonly retrySeconds: readonly number[];
}

export interface WebhookRequest {
  readonly url: string;
  /** The same ID for each attempt, so that a receiver can recognise a repeated message. */
  readonly id: string;
  /** The time of the attempt. */
  readonly timestamp: Date;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal;
}

export interface WebhookSender {
  /** Returns false if the URL's network address isn't allowed. It can change, so `send` checks it again. */
  isAllowed(url: string): Promise<boolean>;
  /** Must not reject. Must end within a fixed time, connect only to allowed addresses and follow no redirect. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}
