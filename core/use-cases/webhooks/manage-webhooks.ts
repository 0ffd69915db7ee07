import { z } from 'zod';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import { AccessError, OperatorError } from '../../model/errors.ts';
import { accessEventTypes } from '../../model/events/event-type.ts';
import {
  deliveryStates,
  isSuccess,
  type WebhookDelivery,
} from '../../model/events/webhook-delivery.ts';
import {
  maxEndpoints,
  mintWebhookSecret,
  rotateWebhookSecret,
  signingSecrets,
  type WebhookEndpoint,
  type WebhookOwner,
} from '../../model/events/webhook-endpoint.ts';
import type { WebhookOutcome } from '../../model/events/webhook-outcome.ts';
import { InputError, pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';

export const maxWebhookUrlLength = 2000;

export const newWebhookInput = z.strictObject({
  url: z.string().max(maxWebhookUrlLength).meta({
    description: 'Where events are sent; https only.',
    example: 'https://example.com/hooks/portfolio-access',
  }),
  types: z
    .array(z.enum(accessEventTypes))
    .nullish()
    .meta({
      description: 'The types of events that are sent; all of them when absent or empty.',
      example: ['access_request.created', 'access_request.expiring'],
    }),
});

export type NewWebhookInput = z.input<typeof newWebhookInput>;

export const webhookInput = z.strictObject({ id: z.string() });

export const listDeliveriesInput = pageInput.extend({
  id: z.string(),
  state: z.enum(deliveryStates).nullish().meta({
    description: 'Only deliveries in this state; `failed` are those set aside.',
    example: 'failed',
  }),
});

/** An endpoint at a moment when its secret can be seen. */
export interface MintedWebhook {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** How a test went. */
export interface WebhookTest {
  readonly isDelivered: boolean;
  readonly outcome: WebhookOutcome;
}

/**
 * @throws InputError, and AccessError `invalid_parameter` for an address that is not on the internet,
 * `webhook_endpoint_limit` when the owner has as many as it may have
 */
export async function createEndpoint(
  ports: Ports,
  owner: WebhookOwner,
  input: NewWebhookInput,
): Promise<MintedWebhook> {
  const { url: text, types } = parseInput(newWebhookInput, input);
  const url = await checkUrl(ports, text);
  const secret = mintWebhookSecret(ports.cryptography);
  const endpoint: WebhookEndpoint = {
    id: ports.ids.next('we'),
    owner,
    url,
    types: [...new Set(types ?? [])],
    secret,
    previousSecret: null,
    previousSecretUntil: null,
    createdAt: ports.clock.now(),
    disabledAt: null,
    disabledReason: null,
  };
  const isAdded = await ports.webhookEndpoints.add(endpoint, maxEndpoints);
  if (!isAdded) throw new AccessError('webhook_endpoint_limit');
  return { endpoint, secret };
}

/** What is left of a URL that can be sent to: a name or password in it would be shown to whoever lists it. */
async function checkUrl({ webhooks }: Ports, text: string): Promise<string> {
  const url = URL.parse(text);
  if (
    url === null ||
    !['https:', 'http:'].includes(url.protocol) ||
    url.username + url.password !== ''
  ) {
    throw new InputError('invalid_parameter', 'url');
  }
  url.hash = '';
  if (url.href.length > maxWebhookUrlLength) throw new InputError('invalid_parameter', 'url');
  if (!(await webhooks.sender.isAllowed(url.href))) {
    const reason =
      'must begin with https:// and lead to an address on the internet (for development, WEBHOOK_ALLOW_PRIVATE=on allows others)';
    throw new InputError('invalid_parameter', 'url', { reason });
  }
  return url.href;
}

const endpointIdPattern = /^we_[0-9A-Za-z]{1,64}$/;

/**
 * @param companyId null: an operator asks, who may see all of them
 * @throws AccessError `webhook_endpoint_not_found`, also for another's
 */
export async function findEndpoint(
  { webhookEndpoints }: Ports,
  companyId: string | null,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = endpointIdPattern.test(id) ? await webhookEndpoints.find(id) : null;
  if (endpoint === null || (companyId !== null && !isOfCompany(endpoint.owner, companyId))) {
    throw new AccessError('webhook_endpoint_not_found');
  }
  return endpoint;
}

const isOfCompany = (owner: WebhookOwner, companyId: string): boolean =>
  'companyId' in owner && owner.companyId === companyId;

export async function removeEndpoint(
  ports: Ports,
  companyId: string | null,
  id: string,
): Promise<void> {
  const endpoint = await findEndpoint(ports, companyId, id);
  const isRemoved = await ports.webhookEndpoints.remove(endpoint.id, ports.clock.now());
  if (!isRemoved) throw new AccessError('webhook_endpoint_not_found');
}

/** One that is not disabled stays as it is. */
export async function enableEndpoint(
  ports: Ports,
  companyId: string | null,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(ports, companyId, id);
  const isThere = await ports.webhookEndpoints.enable(endpoint.id);
  if (!isThere) throw new AccessError('webhook_endpoint_not_found');
  return { ...endpoint, disabledAt: null, disabledReason: null };
}

/** The secret that it replaces goes on signing for a day; one that was replaced before ends at once. */
export async function rotateSecret(
  ports: Ports,
  companyId: string | null,
  id: string,
): Promise<MintedWebhook> {
  const old = await findEndpoint(ports, companyId, id);
  const secret = mintWebhookSecret(ports.cryptography);
  const endpoint = rotateWebhookSecret(old, secret, ports.clock.now());
  const isSaved = await ports.webhookEndpoints.saveSecrets(endpoint, old.secret);
  if (!isSaved) throw new AccessError('webhook_endpoint_conflict');
  return { endpoint, secret };
}

/** Sends an event of the type `webhook.test`, once, and tells what became of it. */
export async function testEndpoint(
  ports: Ports,
  companyId: string | null,
  id: string,
): Promise<WebhookTest> {
  const endpoint = await findEndpoint(ports, companyId, id);
  const timestamp = ports.clock.now();
  const body = JSON.stringify({
    type: 'webhook.test',
    timestamp: timestamp.toISOString(),
    data: {},
  });
  const outcome = await ports.webhooks.sender.send({
    url: endpoint.url,
    id: ports.ids.next('evt'),
    timestamp,
    body,
    secrets: signingSecrets(endpoint, timestamp),
  });
  return { isDelivered: isSuccess(outcome), outcome };
}

/** A page of what was and is to be delivered to an endpoint, newest first. */
export async function listDeliveries(
  ports: Ports,
  companyId: string | null,
  input: z.input<typeof listDeliveriesInput>,
): Promise<Page<WebhookDelivery>> {
  const { id, state, limit, cursor } = parseInput(listDeliveriesInput, input);
  const endpoint = await findEndpoint(ports, companyId, id);
  const found = await ports.webhookDeliveries.list({
    endpointId: endpoint.id,
    state: state ?? null,
    before: readCursor(cursor),
    limit: limit + 1,
  });
  return toPage(found, limit, ({ createdAt, eventId }) => ({ instant: createdAt, id: eventId }));
}

/** @throws OperatorError `not_found`, `invalid` */
export async function findOwner(
  ports: Ports,
  { companyId, investorId }: { companyId?: string | undefined; investorId?: string | undefined },
): Promise<WebhookOwner> {
  if (companyId !== undefined && investorId === undefined) {
    return { companyId: (await findCompany(ports, companyId)).id };
  }
  if (investorId !== undefined && companyId === undefined) {
    return { investorId: (await findInvestor(ports, investorId)).id };
  }
  throw new OperatorError(
    'invalid',
    'a webhook belongs to a company or to an investor: name one of them',
  );
}
