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

/** Why nobody answered. */
export const webhookFailures = [
  'address_not_allowed',
  'name_not_found',
  'connection_failed',
  'tls_failed',
  'timeout',
  'invalid_response',
  'stopped',
] as const;

export type WebhookFailure = (typeof webhookFailures)[number];

export type WebhookOutcome =
  | {
      /** The HTTP status that the receiver answered with. */
      readonly status: number;
      /** How long it asks to be left alone. */
      readonly retryAfterSeconds: number | null;
    }
  | { readonly failure: WebhookFailure };

export interface WebhookSender {
  /** Whether webhooks may be sent to this URL as far as is known now; only `send` can tell for sure. */
  isAllowed(url: string): Promise<boolean>;
  /**
   * Never rejects, and ends within a fixed time. Must connect to nothing but addresses that are allowed at that moment,
   * and follow no redirect.
   */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
}
