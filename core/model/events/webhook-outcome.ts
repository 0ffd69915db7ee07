/** The reasons why an attempt got no response. */
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
      readonly status: number;
      /** The pause that the receiver requests. Null without a request. */
      readonly retryAfterSeconds: number | null;
    }
  | { readonly failure: WebhookFailure };
