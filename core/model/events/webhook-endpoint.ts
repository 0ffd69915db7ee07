import { coverageOf, type Grantee } from '../consent/access-policy.ts';
import type { Owner } from '../identity/owner.ts';
import type { Cryptography } from '../platform.ts';
import { addMilliseconds } from '../time.ts';
import { companyOf, type FeedEvent, isRequestEvent } from './access-event.ts';
import { narrowDataEvent } from './data-event.ts';
import type { EventType } from './event-type.ts';

export type WebhookDisabledReason = 'gone';

export interface WebhookEndpoint {
  readonly id: string;
  readonly owner: Owner;
  readonly url: string;
  /** The event types that the endpoint gets. Empty means all types. */
  readonly types: readonly EventType[];
  /** The signing secret. It is stored in plain text, because the service signs every message with it. */
  readonly secret: string;
  /** The secret before the last rotation. Until `previousSecretUntil`, messages are signed with both secrets. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledReason: WebhookDisabledReason | null;
  readonly droppedDataEvents: number;
}

export const maxEndpoints = 10;

const secretBytes = 32;
const overlapMilliseconds = 86_400_000;

export function mintWebhookSecret({ randomBytes }: Cryptography): string {
  return `whsec_${randomBytes(secretBytes).toBase64()}`;
}

/** Replaces the secret. For one more day, messages are signed with the old secret, too. */
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

export function signingSecrets(
  { secret, previousSecret, previousSecretUntil }: WebhookEndpoint,
  now: Date,
): readonly string[] {
  const isOverlap = previousSecretUntil !== null && previousSecretUntil > now;
  return isOverlap && previousSecret !== null ? [secret, previousSecret] : [secret];
}

/**
 * Returns true if the endpoint should get the event. An investor gets a data event only if a live grant allows reading
 * at least a part of it.
 *
 * @param granted the investors with a grant, by company ID
 */
export function isWanted(
  { owner, types }: Pick<WebhookEndpoint, 'owner' | 'types'>,
  event: FeedEvent,
  granted: ReadonlyMap<string, readonly Grantee[]>,
  now: Date,
): boolean {
  if (types.length > 0 && !types.includes(event.type)) return false;
  const companyId = companyOf(event);
  if ('companyId' in owner) return owner.companyId === companyId;
  if (isRequestEvent(event)) return owner.investorId === event.accessRequest.investorId;
  const grantee = granted.get(companyId)?.find(({ investorId }) => investorId === owner.investorId);
  if (grantee === undefined) return false;
  const facts = { isInPortfolio: true, newestRequest: grantee.newestRequest };
  return narrowDataEvent(event, coverageOf(facts, now)) !== null;
}
