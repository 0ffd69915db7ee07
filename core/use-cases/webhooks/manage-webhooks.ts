import { z } from 'zod';
import { type Cursor, isEarlier, type Page, readCursor, toPage } from '../../model/cursor.ts';
import { ensure } from '../../model/errors.ts';
import { eventTypes } from '../../model/events/event-type.ts';
import {
  maxEndpoints,
  mintWebhookSecret,
  rotateWebhookSecret,
  type WebhookEndpoint,
} from '../../model/events/webhook-endpoint.ts';
import { credentialBehind, type Permitted } from '../../model/identity/acting-credential.ts';
import {
  isSameOwner,
  type Owner,
  type OwnerOrOperator,
  ownerOf,
} from '../../model/identity/owner.ts';
import {
  type Acting,
  type ActingOwnerOrOperator,
  changeOfWebhook,
  type SettingsChange,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { InputError, pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

export const maxWebhookUrlLength = 2000;

export const newWebhookInput = z.strictObject({
  url: z.string().max(maxWebhookUrlLength).meta({
    description: 'The URL that gets the events. Must use https.',
    example: 'https://example.com/hooks/portfolio-access',
  }),
  types: z
    .array(z.enum(eventTypes))
    .nullish()
    .meta({
      description:
        'The delivered event types. If the list is absent or empty, all types are delivered.',
      example: ['access_request.created', 'access_request.expiring'],
    }),
});

export type NewWebhookInput = z.input<typeof newWebhookInput>;

export const webhookInput = z.strictObject({ id: z.string() });

export type WebhookInput = z.input<typeof webhookInput>;

export interface MintedWebhook {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** @throws AccessError `webhook_endpoint_limit`, or `invalid_parameter` if the URL isn't on the public internet */
export const createWebhookEndpoint =
  (ports: Ports) =>
  async (owner: Owner & Acting & Permitted, input: NewWebhookInput): Promise<MintedWebhook> => {
    const { url: text, types } = parseInput(newWebhookInput, input);
    const url = await checkUrl(ports, text);
    const secret = mintWebhookSecret(ports.cryptography);
    const endpoint: WebhookEndpoint = {
      id: ports.ids.next('we'),
      owner: ownerOf(owner),
      url,
      types: [...new Set(types ?? [])],
      secret,
      previousSecret: null,
      previousSecretUntil: null,
      createdAt: ports.clock.now(),
      disabledAt: null,
      disabledReason: null,
      droppedDataEvents: 0,
    };
    const change = changeBy(ports, owner, 'created', null, endpoint);
    const isAdded = await ports.webhookEndpoints.add(
      owner.credential,
      endpoint,
      maxEndpoints,
      change,
    );
    ensure(isAdded, 'webhook_endpoint_limit');
    return { endpoint, secret };
  };

/** Normalises the URL. Rejects a URL with a user name or a password, because lists of endpoints would show them. */
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

const cursorOf = ({ createdAt, id }: WebhookEndpoint): Cursor => ({ instant: createdAt, id });

/** Returns a page of the owner's endpoints, newest first. */
export const listWebhookEndpoints =
  ({ webhookEndpoints }: Ports) =>
  async (owner: Owner, input: z.input<typeof pageInput> = {}): Promise<Page<WebhookEndpoint>> => {
    const { limit, cursor } = parseInput(pageInput, input);
    const before = readCursor(cursor);
    // All endpoints are read at once, because an owner has few.
    const newestFirst = (await webhookEndpoints.list(ownerOf(owner)))
      .filter((endpoint) => before === null || isEarlier(cursorOf(endpoint), before))
      .toReversed();
    return toPage(newestFirst, limit, cursorOf);
  };

const endpointIdPattern = /^we_[0-9A-Za-z]{1,64}$/;

/** @throws AccessError `webhook_endpoint_not_found`. The functions below throw the same error. */
export const readWebhookEndpoint =
  ({ webhookEndpoints }: Ports) =>
  async (owner: OwnerOrOperator, input: WebhookInput): Promise<WebhookEndpoint> => {
    const { id } = parseInput(webhookInput, input);
    const endpoint = endpointIdPattern.test(id) ? await webhookEndpoints.find(id) : null;
    ensure(endpoint !== null, 'webhook_endpoint_not_found');
    ensure(owner === null || isSameOwner(endpoint.owner, owner), 'webhook_endpoint_not_found');
    return endpoint;
  };

const changeBy = (
  { ids, clock }: Ports,
  acting: Acting | null,
  ...changed: Parameters<typeof changeOfWebhook>
): SettingsChange => settingsChange(ids, clock.now(), acting, changeOfWebhook(...changed));

export const changeWebhookInput = newWebhookInput
  .extend({ url: newWebhookInput.shape.url.optional() })
  .extend(webhookInput.shape);

export type ChangeWebhookInput = z.input<typeof changeWebhookInput>;

/**
 * Changes the URL, the types or both. Absent fields stay unchanged. Waiting deliveries go to the new URL.
 *
 * @throws AccessError `webhook_endpoint_not_found`, or `invalid_parameter` if the URL isn't on the public internet
 */
export const changeWebhookEndpoint =
  (ports: Ports) =>
  async (acting: ActingOwnerOrOperator, input: ChangeWebhookInput): Promise<WebhookEndpoint> => {
    const { id, url, types } = parseInput(changeWebhookInput, input);
    const endpoint = await readWebhookEndpoint(ports)(acting, { id });
    const changes = {
      ...(url !== undefined && { url: await checkUrl(ports, url) }),
      ...(types !== undefined && { types: [...new Set(types)] }),
    };
    const change = changeBy(ports, acting, 'changed', endpoint, { ...endpoint, ...changes });
    if (Object.keys(change.changes).length === 0) return endpoint;
    const isThere = await ports.webhookEndpoints.change(
      credentialBehind(acting),
      { id, ...changes },
      change,
    );
    ensure(isThere, 'webhook_endpoint_not_found');
    return readWebhookEndpoint(ports)(acting, { id });
  };

export const removeWebhookEndpoint =
  (ports: Ports) =>
  async (acting: ActingOwnerOrOperator, input: WebhookInput): Promise<void> => {
    const endpoint = await readWebhookEndpoint(ports)(acting, input);
    const change = changeBy(ports, acting, 'removed', endpoint, null);
    const isRemoved = await ports.webhookEndpoints.remove(
      credentialBehind(acting),
      endpoint.id,
      ports.clock.now(),
      change,
    );
    ensure(isRemoved, 'webhook_endpoint_not_found');
  };

/** Enables an endpoint. The endpoint gets only new events. Does nothing if the endpoint is already enabled. */
export const enableWebhookEndpoint =
  (ports: Ports) =>
  async (acting: ActingOwnerOrOperator, input: WebhookInput): Promise<WebhookEndpoint> => {
    const endpoint = await readWebhookEndpoint(ports)(acting, input);
    const enabled = { ...endpoint, disabledAt: null, disabledReason: null };
    const change =
      endpoint.disabledAt === null ? null : changeBy(ports, acting, 'enabled', endpoint, enabled);
    const isThere = await ports.webhookEndpoints.enable(
      credentialBehind(acting),
      endpoint.id,
      change,
    );
    ensure(isThere, 'webhook_endpoint_not_found');
    return enabled;
  };

/**
 * Replaces the secret. For one more day, messages are signed with the old secret, too. An even older secret stops
 * signing at once.
 *
 * @throws AccessError `webhook_endpoint_conflict` if another caller rotates the secret at the same time
 */
export const rotateWebhookEndpoint =
  (ports: Ports) =>
  async (acting: ActingOwnerOrOperator, input: WebhookInput): Promise<MintedWebhook> => {
    const old = await readWebhookEndpoint(ports)(acting, input);
    const secret = mintWebhookSecret(ports.cryptography);
    const endpoint = rotateWebhookSecret(old, secret, ports.clock.now());
    const change = changeBy(ports, acting, 'secret_rotated', old, endpoint);
    const isSaved = await ports.webhookEndpoints.saveSecrets(
      credentialBehind(acting),
      endpoint,
      old.secret,
      change,
    );
    ensure(isSaved, 'webhook_endpoint_conflict');
    return { endpoint, secret };
  };
