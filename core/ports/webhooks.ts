import type { Grantee } from '../model/consent/access-policy.ts';
import type { Cursor } from '../model/cursor.ts';
import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { DeliveryState, WebhookDelivery } from '../model/events/webhook-delivery.ts';
import type { WebhookDisabledReason, WebhookEndpoint } from '../model/events/webhook-endpoint.ts';
import type { WebhookOutcome } from '../model/events/webhook-outcome.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { Lease } from './queues.ts';

/** Methods with a credential check it first. Each change is stored together with its entry in the settings log. */
export interface WebhookEndpoints {
  /** Must return false and add nothing if the owner has `most` endpoints, however many are added at once. */
  add(
    credential: ActingCredential | null,
    endpoint: WebhookEndpoint,
    most: number,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Null if it doesn't exist or was removed. */
  find(id: string): Promise<WebhookEndpoint | null>;
  /** Oldest first; null: of all owners. */
  list(owner: Owner | null): Promise<WebhookEndpoint[]>;
  /** Ends its deliveries too. Returns false if the endpoint didn't exist. */
  remove(
    credential: ActingCredential | null,
    id: string,
    now: Date,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Saves the URL, the types or both, and nothing else. Returns true if the endpoint exists. */
  change(
    credential: ActingCredential | null,
    endpoint: Pick<WebhookEndpoint, 'id'> & Partial<Pick<WebhookEndpoint, 'url' | 'types'>>,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Must return false and change nothing if the endpoint's secret isn't `old`: another rotation came first. */
  saveSecrets(
    credential: ActingCredential | null,
    endpoint: WebhookEndpoint,
    old: string,
    change: SettingsChange,
  ): Promise<boolean>;
  /** Fails the endpoint's pending deliveries too. */
  disable(
    id: string,
    reason: WebhookDisabledReason,
    now: Date,
    change: SettingsChange,
  ): Promise<void>;
  /**
   * Delivers events from now on. Failed deliveries stay failed. Returns true if the endpoint exists.
   *
   * @param change null if the endpoint is enabled already
   */
  enable(
    credential: ActingCredential | null,
    id: string,
    change: SettingsChange | null,
  ): Promise<boolean>;
}

/** The right to deliver to an endpoint until its release or the end of its lease. */
export interface WebhookClaim {
  readonly id: string;
  readonly endpointId: string;
}

export interface DueDelivery {
  readonly delivery: WebhookDelivery;
  /** Null if the company has left the portfolio of the endpoint's owner, or one of the two is suspended. */
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
   * Takes the next events of the feed, and queues a delivery, due now, for each endpoint that wants one. Must take each
   * event once, however many processes run, and lose none when one dies. At most `maxWaiting` data events of one company
   * may wait for one endpoint: it must drop the oldest, and count them in the endpoint's `droppedDataEvents`. Returns the
   * number of events; 0 while another process runs.
   */
  queue(plan: {
    readonly isWanted: (
      endpoint: WebhookEndpoint,
      event: FeedEvent,
      granted: ReadonlyMap<string, readonly Grantee[]>,
      now: Date,
    ) => boolean;
    readonly now: Date;
    /** The most events. */
    readonly limit: number;
    readonly maxWaiting: number;
  }): Promise<number>;
  /**
   * Claims endpoints with deliveries that are due, longest due first. The deliveries of one endpoint must not make the claim
   * of another one slower. An owner gets up to `perOwner` endpoints, with those that are claimed already.
   */
  claim(lease: Lease & { readonly id: string; readonly perOwner: number }): Promise<WebhookClaim[]>;
  /**
   * Returns deliveries of an endpoint that are due, longest due first. Companies take turns, and so do the data events and
   * the other events of a company, so that many data events of one company delay nothing else.
   */
  due(endpointId: string, now: Date, limit: number): Promise<DueDelivery[]>;
  /** Stores a delivery after an attempt. Must change nothing if another attempt was stored meanwhile. */
  settle(before: WebhookDelivery, after: WebhookDelivery): Promise<void>;
  /** Ends a claim; the endpoint is due with its next delivery. Must change nothing if the claim was taken over. */
  release(claim: WebhookClaim): Promise<void>;
  /** Deliveries of claimed endpoints aren't due. */
  readBacklog(now: Date): Promise<Backlog>;
  find(endpointId: string, eventId: string): Promise<WebhookDelivery | null>;
  /** Newest first. */
  list(query: DeliveryQuery): Promise<WebhookDelivery[]>;
  /**
   * Makes deliveries due now, with all of their attempts: the one of the event unless it is pending, or all that failed.
   * Returns their number. It checks the credential first.
   */
  replay(
    credential: ActingCredential | null,
    endpointId: string,
    eventId: string | null,
    now: Date,
  ): Promise<number>;
  /** Removes some deliveries that ended before the instant or whose endpoint was removed. Returns their number. */
  forget(before: Date, limit: number): Promise<number>;
}

export interface Webhooks {
  readonly sender: WebhookSender;
  /** Returns the body of a webhook. It shows the event as the owner sees it. */
  readonly write: (event: FeedEvent, owner: Owner) => Promise<string>;
  /** Seconds from each failed attempt to the next one. */
  readonly retrySeconds: readonly number[];
}

/** One attempt to send a webhook to an endpoint. */
export interface WebhookRequest {
  readonly url: string;
  /** The same for each attempt, so that a receiver recognises a repetition. */
  readonly id: string;
  /** The time of the attempt. */
  readonly timestamp: Date;
  readonly body: string;
  /** Each secret adds a signature. */
  readonly secrets: readonly string[];
  /** Aborts the attempt. */
  readonly signal?: AbortSignal;
}

export interface WebhookSender {
  /** Returns false if the URL's address isn't allowed now. Only `send` decides for good. */
  isAllowed(url: string): Promise<boolean>;
  /**
   * Never rejects, and ends within a fixed time. Must connect to nothing but addresses that are allowed at that moment,
   * and follow no redirect.
   */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}
