import type { Grantee } from '../model/consent/access-policy.ts';
import type { Cursor } from '../model/cursor.ts';
import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { DeliveryState, WebhookDelivery } from '../model/events/webhook-delivery.ts';
import type { WebhookDisabledReason, WebhookEndpoint } from '../model/events/webhook-endpoint.ts';
import type { WebhookOutcome } from '../model/events/webhook-outcome.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

export interface WebhookEndpoints {
  /** Must add nothing and answer false when its owner has as many already, however many are added at once. */
  add(endpoint: WebhookEndpoint, most: number, change?: SettingsChange): Promise<boolean>;
  /** Null when there is none, or no longer. */
  find(id: string): Promise<WebhookEndpoint | null>;
  /** Oldest first; of one owner or of all. */
  list(owner: Owner | null): Promise<WebhookEndpoint[]>;
  /** Ends its deliveries too. Answers whether it was there. */
  remove(id: string, now: Date, change?: SettingsChange): Promise<boolean>;
  /** Must answer false, and keep nothing, when the endpoint's secret is not `old`: another rotation came first. */
  saveSecrets(endpoint: WebhookEndpoint, old: string, change?: SettingsChange): Promise<boolean>;
  /** Keeps what became of the last attempts, then sets aside what is still to be delivered to it: all of it or nothing. */
  disable(
    id: string,
    reason: WebhookDisabledReason,
    now: Date,
    last: readonly AttemptedDelivery[],
    change?: SettingsChange,
  ): Promise<void>;
  /** It is told again of what happens from now on; what was set aside stays so. Answers whether it is there. */
  enable(id: string, change?: SettingsChange): Promise<boolean>;
}

/** The right to deliver to an endpoint, until it is given back or its time is over. */
export interface WebhookClaim {
  readonly id: string;
  readonly endpointId: string;
}

/** A delivery before and after an attempt. */
export interface AttemptedDelivery {
  readonly before: WebhookDelivery;
  readonly after: WebhookDelivery;
}

export interface DueDelivery {
  readonly delivery: WebhookDelivery;
  /** Null when the company is not in the portfolio of the endpoint's owner any more, or one of the two is suspended. */
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
   * Takes the next events of the feed and writes a delivery, due now, for each endpoint that wants one. Must do so once
   * for each event, by any number of processes, and lose none when one dies. Answers how many events were taken; while
   * another process is at it, 0.
   */
  queue(plan: {
    readonly isWanted: (
      endpoint: WebhookEndpoint,
      event: FeedEvent,
      granted: ReadonlyMap<string, readonly Grantee[]>,
      now: Date,
    ) => boolean;
    readonly now: Date;
    /** Events at most. */
    readonly limit: number;
  }): Promise<number>;
  /**
   * Claims endpoints that have deliveries due, the longest due first: nobody else gets these before the instant `until`.
   * What one endpoint has to deliver must not make another one's claim slower. One owner gets no more than its share,
   * with what is claimed for it already.
   */
  claim(
    claimId: string,
    now: Date,
    until: Date,
    most: { readonly endpoints: number; readonly ofOneOwner: number },
  ): Promise<WebhookClaim[]>;
  /** Deliveries of an endpoint that are due, the longest due first. */
  due(endpointId: string, now: Date, limit: number): Promise<DueDelivery[]>;
  /** Keeps the state of a delivery after an attempt; must change nothing when another attempt was kept meanwhile. */
  settle(before: WebhookDelivery, after: WebhookDelivery): Promise<void>;
  /** Gives the endpoint back; it is claimed again when its next delivery is due. Must leave another's claim alone. */
  release(claim: WebhookClaim): Promise<void>;
  /** Of deliveries that are pending; what is claimed is not due. */
  readBacklog(now: Date): Promise<Backlog>;
  /** Newest first. */
  list(query: DeliveryQuery): Promise<WebhookDelivery[]>;
  /**
   * Makes deliveries due now, with all attempts before them: one that is not pending, or all that are set aside. Answers
   * how many.
   */
  replay(endpointId: string, eventId: string | null, now: Date): Promise<number>;
  /** Removes what ended before the instant, and everything of removed endpoints; not all at once. Answers how many. */
  forget(before: Date, limit: number): Promise<number>;
}

export interface Webhooks {
  readonly sender: WebhookSender;
  /** The body that an endpoint is sent about an event, which is shown as its owner sees it. */
  readonly write: (event: FeedEvent, owner: Owner) => Promise<string>;
  /** Seconds from each failed attempt to the next one. */
  readonly retrySeconds: readonly number[];
}

/** What is sent to one endpoint, once. */
export interface WebhookRequest {
  readonly url: string;
  /** The same at every repetition, so that a receiver knows what it has seen. */
  readonly id: string;
  /** When it is sent. */
  readonly timestamp: Date;
  readonly body: string;
  /** Each makes a signature of its own. */
  readonly secrets: readonly string[];
  /** Ends the attempt before its time. */
  readonly signal?: AbortSignal;
}

export interface WebhookSender {
  /** Whether webhooks may be sent to this URL as far as is known now; only `send` can tell for sure. */
  isAllowed(url: string): Promise<boolean>;
  /**
   * Never rejects, and ends within a fixed time. Must connect to nothing but addresses that are allowed at that moment,
   * and follow no redirect.
   */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}
