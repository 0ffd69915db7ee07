// What an operator does, and a company through the operator.
import { operator } from '../model/events/event-type.ts';
import type { WebhookEndpoint } from '../model/events/webhook-endpoint.ts';
import type { Contact } from '../model/identity/contact.ts';
import type { Ports } from '../ports/index.ts';
import * as decisions from '../use-cases/consent/decide-access-request.ts';
import * as requests from '../use-cases/consent/list-access-requests.ts';
import * as receipts from '../use-cases/consent/read-receipts.ts';
import { type EventPage, type ReadEventsInput, readEvents } from '../use-cases/feed/read-events.ts';
import { rotateApiKey as rotateKeyOf } from '../use-cases/identity/manage-api-keys.ts';
import * as keys from '../use-cases/identity/manage-company-keys.ts';
import * as contacts from '../use-cases/identity/manage-contacts.ts';
import {
  findCompany,
  findOwner,
  type NamedOwner,
  requireOwner,
} from '../use-cases/identity/organisations.ts';
import { endSession } from '../use-cases/sign-in/manage-sessions.ts';
import * as webhooks from '../use-cases/webhooks/manage-webhooks.ts';
import * as deliveries from '../use-cases/webhooks/test-and-replay.ts';
import { ofAnybody } from './whose.ts';

export { exportCompany } from '../use-cases/company-data/export-company.ts';
export { importRecords } from '../use-cases/company-data/import-records.ts';
export { showMetricHistory } from '../use-cases/company-data/show-metrics.ts';
export { signMissingMetrics } from '../use-cases/company-data/sign-metrics.ts';
export {
  addToPortfolio,
  createCompany,
  listCompanies,
  listPortfolios,
  removeFromPortfolio,
} from '../use-cases/directory/manage-companies.ts';
export { createInvestor, listInvestors } from '../use-cases/directory/manage-investors.ts';
export {
  renameCompany,
  renameInvestor,
  resumeCompany,
  resumeInvestor,
  suspendCompany,
  suspendInvestor,
} from '../use-cases/directory/names-and-ends.ts';
export { listSettingsChanges } from '../use-cases/identity/list-settings-changes.ts';
export {
  createApiKey,
  listApiKeys,
  renameApiKey,
  revokeApiKey,
} from '../use-cases/identity/manage-api-keys.ts';
export { listMails } from '../use-cases/mails/manage-mails.ts';
export {
  listPublicKeys,
  listSigningKeys,
  registerSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from '../use-cases/proof/manage-signing-keys.ts';
export {
  addUpstreamSigners,
  listUpstreamSigners,
  removeUpstreamSigner,
} from '../use-cases/proof/manage-upstream-signers.ts';
export { signMissingReceipts } from '../use-cases/proof/sign-receipts.ts';
export { archiveAccessRecords } from '../use-cases/records/archive-access-records.ts';
export {
  dropAccessRecords,
  listCompanyAccessRecords,
} from '../use-cases/records/list-access-records.ts';
export { createSignInLink } from '../use-cases/sign-in/create-sign-in-link.ts';
export { listContactSessions } from '../use-cases/sign-in/manage-sessions.ts';

export const approveAccessRequest = ofAnybody(decisions.approveAccessRequest);
export const declineAccessRequest = ofAnybody(decisions.declineAccessRequest);
export const revokeAccessRequest = ofAnybody(decisions.revokeAccessRequest);
export const extendAccessRequest = ofAnybody(decisions.extendAccessRequest);

export const { listCompanyAccessRequests } = requests;
export const showAccessRequest = ofAnybody(requests.readReceivedRequest);
export const listReceipts = ofAnybody(receipts.listReceipts);

export const listAccessEvents =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    ...input
  }: NamedOwner & ReadEventsInput = {}): Promise<EventPage> =>
    readEvents(ports)(await findOwner(ports, { companyId, investorId }), input);

export const rotateApiKey = ofAnybody(rotateKeyOf);

interface NamedCompany {
  readonly companyId: string;
}

export const { listCompanyKeys, renameCompanyKey } = keys;

export const createCompanyKey =
  (ports: Ports) =>
  async ({
    companyId,
    ...input
  }: NamedCompany & keys.NewCompanyKeyInput): Promise<keys.MintedCompanyKey> => {
    const { environment } = await findCompany(ports, companyId);
    return keys.createCompanyKey(ports)({ companyId, environment, actor: operator }, input);
  };

export const revokeCompanyKey = ofAnybody(keys.revokeCompanyKey);
export const rotateCompanyKey = ofAnybody(keys.rotateCompanyKey);

/** Invites the contact by mail, unless told not to. */
export const addContact =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    invite = true,
    ...input
  }: NamedOwner & contacts.NewContactInput & { readonly invite?: boolean }): Promise<Contact> => {
    const owner = await requireOwner(ports, { companyId, investorId });
    return contacts.addContact(ports)(owner, input, invite);
  };

export const listContacts =
  (ports: Ports) =>
  async (named: NamedOwner = {}): Promise<Contact[]> =>
    contacts.listContacts(ports)(await findOwner(ports, named));

export const changeContactRole = ofAnybody(contacts.changeContactRole);
export const removeContact = ofAnybody(contacts.removeContact);

export const endContactSession = ofAnybody(endSession);

/** @throws InputError, and Refusal `webhook_endpoint_limit`, and those of whoever is named */
export const addWebhook =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    ...input
  }: NamedOwner & webhooks.NewWebhookInput): Promise<webhooks.MintedWebhook> => {
    const owner = await requireOwner(ports, { companyId, investorId });
    return webhooks.createWebhookEndpoint(ports)(owner, input);
  };

/** Those of one owner or of all, oldest first. */
export const listWebhooks =
  (ports: Ports) =>
  async (named: NamedOwner = {}): Promise<WebhookEndpoint[]> =>
    ports.webhookEndpoints.list(await findOwner(ports, named));

export const removeWebhook = ofAnybody(webhooks.removeWebhookEndpoint);
export const enableWebhook = ofAnybody(webhooks.enableWebhookEndpoint);
export const rotateWebhook = ofAnybody(webhooks.rotateWebhookEndpoint);
export const testWebhook = ofAnybody(deliveries.testWebhookEndpoint);
export const { replayWebhook } = deliveries;
export const listDeliveriesOfWebhook = ofAnybody(deliveries.listWebhookDeliveries);
