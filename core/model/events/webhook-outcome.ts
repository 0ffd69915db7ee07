/** The reasons for which a delivery got no response. */
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
      /** The HTTP status of the response. */
      readonly status: number;
      /** The requested pause before the next attempt. */
      readonly retryAfterSeconds: number | null;
    }
  | { readonly failure: WebhookFailure };
