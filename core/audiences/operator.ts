// The use cases of an operator. An operator can also decide access requests on behalf of a company.
import { operator } from '../model/events/event-type.ts';
import type { WebhookEndpoint } from '../model/events/webhook-endpoint.ts';
import type { Contact } from '../model/identity/contact.ts';
import type { Ports } from '../ports/index.ts';
import * as decisions from '../use-cases/consent/decide-access-request.ts';
import * as requests from '../use-cases/consent/list-received-requests.ts';
import * as approvalRule from '../use-cases/consent/manage-approval-rule.ts';
import * as receipts from '../use-cases/consent/read-receipts.ts';
import * as requesting from '../use-cases/consent/request-access.ts';
import { type EventPage, type ReadEventsInput, readEvents } from '../use-cases/feed/read-events.ts';
import * as apiKeys from '../use-cases/identity/manage-api-keys.ts';
import * as keys from '../use-cases/identity/manage-company-keys.ts';
import * as contacts from '../use-cases/identity/manage-contacts.ts';
import {
  findCompany,
  findInvestor,
  findOwner,
  type NamedOwner,
  requireOwner,
} from '../use-cases/identity/organisations.ts';
import { endSession } from '../use-cases/sign-in/manage-sessions.ts';
import * as webhooks from '../use-cases/webhooks/manage-webhooks.ts';
import * as deliveries from '../use-cases/webhooks/test-and-replay.ts';
import { bindToOperator } from './bindings.ts';

export {
  completeRecords,
  readLatestOfCompany,
} from '../use-cases/company-data/complete-records.ts';
export { exportCompany } from '../use-cases/company-data/export-company.ts';
export { importRecords } from '../use-cases/company-data/import-records.ts';
export { showMetricHistory } from '../use-cases/company-data/show-metrics.ts';
export { signMissingMetrics } from '../use-cases/company-data/sign-metrics.ts';
export { findInconsistencies } from '../use-cases/consistency/find-inconsistencies.ts';
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
} from '../use-cases/directory/rename-and-suspend.ts';
export { eraseCompany, eraseContact, eraseInvestor } from '../use-cases/erasure/erase.ts';
export { listSettingsChanges } from '../use-cases/identity/list-settings-changes.ts';
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
export { listMails } from '../use-cases/queues/queues.ts';
export { dropAccessLog, exportAccessLog } from '../use-cases/records/export-access-log.ts';
export { listCompanyAccessRecords } from '../use-cases/records/list-access-records.ts';
export { createSignInLink } from '../use-cases/sign-in/create-sign-in-link.ts';
export { listContactSessions } from '../use-cases/sign-in/manage-sessions.ts';

export const approveAccessRequest = bindToOperator(decisions.approveAccessRequest);
export const declineAccessRequest = bindToOperator(decisions.declineAccessRequest);
export const revokeAccessRequest = bindToOperator(decisions.revokeAccessRequest);
export const narrowAccessRequest = bindToOperator(decisions.narrowAccessRequest);
export const pauseAccessRequest = bindToOperator(decisions.pauseAccessRequest);
export const resumeAccessRequest = bindToOperator(decisions.resumeAccessRequest);
export const extendAccessRequest = bindToOperator(decisions.extendAccessRequest);

/** @throws InputError unless `required` is 1 or 2, and Refusal `company_not_found` */
export const setApprovalsRequired =
  (ports: Ports) =>
  ({ companyId, ...input }: { readonly companyId: string; readonly required: number }) =>
    approvalRule.setApprovalsRequired(ports)({ companyId, credential: null }, input);

interface NamedInvestor {
  readonly investorId: string;
}

/**
 * Requests access for an investor, as if the investor had used an API key.
 *
 * @throws InputError, Refusal `investor_not_found`, and the errors of the investors' use case `requestAccess`
 */
export const requestAccess =
  (ports: Ports) =>
  async ({
    investorId,
    ...input
  }: NamedInvestor & requesting.RequestAccessInput): Promise<requesting.AccessRequested> => {
    const { id } = await findInvestor(ports, investorId);
    const requester = { kind: 'investor', investorId: id, credential: null } as const;
    return requesting.requestAccess(ports)(requester, input);
  };

export const { listCompanyAccessRequests } = requests;
export const showAccessRequest = bindToOperator(requests.readReceivedRequest);
export const listReceipts = bindToOperator(receipts.listReceipts);

export const listAccessEvents =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    ...input
  }: NamedOwner & ReadEventsInput = {}): Promise<EventPage> =>
    readEvents(ports)(await findOwner(ports, { companyId, investorId }), input);

/** @throws InputError, and Refusal `investor_not_found` */
export const createApiKey =
  (ports: Ports) =>
  async ({
    investorId,
    ...input
  }: NamedInvestor & apiKeys.OperatorApiKeyInput): Promise<apiKeys.MintedApiKey> =>
    apiKeys.createApiKey(ports)(await findInvestor(ports, investorId), input);

export const { listApiKeys, renameApiKey } = apiKeys;
export const revokeApiKey = bindToOperator(apiKeys.revokeApiKey);
export const rotateApiKey = bindToOperator(apiKeys.rotateApiKey);

export const { listCompanyKeys, renameCompanyKey } = keys;

export const createCompanyKey =
  (ports: Ports) =>
  async ({
    companyId,
    ...input
  }: { readonly companyId: string } & keys.NewCompanyKeyInput): Promise<keys.MintedCompanyKey> => {
    const { environment } = await findCompany(ports, companyId);
    return keys.createCompanyKey(ports)(
      { companyId, environment, actor: operator, credential: null },
      input,
    );
  };

export const revokeCompanyKey = bindToOperator(keys.revokeCompanyKey);
export const rotateCompanyKey = bindToOperator(keys.rotateCompanyKey);

export const addContact =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    invite = true,
    ...input
  }: NamedOwner & contacts.NewContactInput & { readonly invite?: boolean }): Promise<Contact> => {
    const owner = await requireOwner(ports, { companyId, investorId });
    return contacts.addContact(ports)({ ...owner, credential: null }, input, invite);
  };

export const listContacts =
  (ports: Ports) =>
  async (named: NamedOwner = {}): Promise<Contact[]> =>
    contacts.listContacts(ports)(await findOwner(ports, named));

export const changeContactRole = bindToOperator(contacts.changeContactRole);
export const removeContact = bindToOperator(contacts.removeContact);

export const endContactSession = bindToOperator(endSession);

/** @throws InputError, and Refusal `webhook_endpoint_limit`, `company_not_found`, `investor_not_found` */
export const addWebhook =
  (ports: Ports) =>
  async ({
    companyId,
    investorId,
    ...input
  }: NamedOwner & webhooks.NewWebhookInput): Promise<webhooks.MintedWebhook> => {
    const owner = await requireOwner(ports, { companyId, investorId });
    return webhooks.createWebhookEndpoint(ports)({ ...owner, credential: null }, input);
  };

export const listWebhooks =
  (ports: Ports) =>
  async (named: NamedOwner = {}): Promise<WebhookEndpoint[]> =>
    ports.webhookEndpoints.list(await findOwner(ports, named));

export const removeWebhook = bindToOperator(webhooks.removeWebhookEndpoint);
export const enableWebhook = bindToOperator(webhooks.enableWebhookEndpoint);
export const rotateWebhook = bindToOperator(webhooks.rotateWebhookEndpoint);
export const testWebhook = bindToOperator(deliveries.testWebhookEndpoint);
export const replayWebhook = bindToOperator(deliveries.replayWebhook);
export const listDeliveriesOfWebhook = bindToOperator(deliveries.listWebhookDeliveries);
