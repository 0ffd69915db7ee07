import { isOwned, type Owner } from '../identity/owner.ts';
import type { Cryptography } from '../platform.ts';
import { addMilliseconds } from '../time.ts';
import type { AccessEvent } from './access-event.ts';
import type { AccessEventType } from './event-type.ts';

/** Why an endpoint gets nothing any more. */
export type WebhookDisabledReason = 'gone';

export interface WebhookEndpoint {
  readonly id: string;
  /** Whose events it gets. */
  readonly owner: Owner;
  readonly url: string;
  /** The types of events that it gets; empty: all. */
  readonly types: readonly AccessEventType[];
  /** Kept as it is, because every message is signed with it. */
  readonly secret: string;
  /** The secret before the last rotation. */
  readonly previousSecret: string | null;
  /** Until then messages are signed with the previous secret too. */
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledReason: WebhookDisabledReason | null;
}

export const maxEndpoints = 10;

const secretBytes = 32;
const overlapMilliseconds = 86_400_000;

export function mintWebhookSecret({ randomBytes }: Cryptography): string {
  const binary = String.fromCharCode(...randomBytes(secretBytes));
  return `whsec_${btoa(binary)}`;
}

/** The endpoint with a new secret; the one that it had goes on signing for a day. */
export function rotateWebhookSecret(
  endpoint: WebhookEndpoint,
  secret: string,
  now: Date,
): WebhookEndpoint {
  return {
    ...endpoint,
    secret,
    previousSecret: endpoint.secret,
    previousSecretUntil: addMilliseconds(now, overlapMilliseconds),
  };
}

/** The newest first. */
export function signingSecrets(
  { secret, previousSecret, previousSecretUntil }: WebhookEndpoint,
  now: Date,
): readonly string[] {
  const isOverlap = previousSecretUntil !== null && previousSecretUntil > now;
  return isOverlap && previousSecret !== null ? [secret, previousSecret] : [secret];
}

/** Whether an endpoint is to be told of an event. */
export function isWanted(
  { owner, types }: Pick<WebhookEndpoint, 'owner' | 'types'>,
  { type, accessRequest }: AccessEvent,
): boolean {
  return (types.length === 0 || types.includes(type)) && isOwned(accessRequest, owner);
}
