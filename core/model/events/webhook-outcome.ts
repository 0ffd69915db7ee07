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
