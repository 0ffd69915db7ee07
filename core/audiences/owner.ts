import type { ContactCaller, InvestorContactCaller } from '../model/identity/caller.ts';
import type { CompanyUseCases, InvestorUseCases } from './index.ts';

/** The use cases that contacts of companies and contacts of investors share. They act for one contact. */
export function createOwnerUseCases(
  company: CompanyUseCases,
  investor: InvestorUseCases,
  caller: ContactCaller | InvestorContactCaller,
) {
  const own =
    <Input extends unknown[], OfCompany, OfInvestor>(
      ofCompany: (caller: ContactCaller, ...input: Input) => OfCompany,
      ofInvestor: (caller: InvestorContactCaller, ...input: Input) => OfInvestor,
    ) =>
    (...input: Input): OfCompany | OfInvestor =>
      caller.kind === 'contact' ? ofCompany(caller, ...input) : ofInvestor(caller, ...input);
  return {
    readChain: own(company.readReceivedChain, investor.readOwnChain),
    listContacts: own(company.listOwnContacts, investor.listOwnContacts),
    addContact: own(company.addOwnContact, investor.addOwnContact),
    changeContactRole: own(company.changeOwnContactRole, investor.changeOwnContactRole),
    removeContact: own(company.removeOwnContact, investor.removeOwnContact),
    listKeys: own(company.listOwnKeys, investor.listOwnKeys),
    rotateKey: own(company.rotateOwnKey, investor.rotateOwnKey),
    revokeKey: own(company.revokeOwnKey, investor.revokeOwnKey),
    listSettingsChanges: own(company.listOwnSettingsChanges, investor.listOwnSettingsChanges),
    listWebhookEndpoints: own(company.listWebhookEndpoints, investor.listWebhookEndpoints),
    createWebhookEndpoint: own(company.createWebhookEndpoint, investor.createWebhookEndpoint),
    readWebhookEndpoint: own(company.readWebhookEndpoint, investor.readWebhookEndpoint),
    removeWebhookEndpoint: own(company.removeWebhookEndpoint, investor.removeWebhookEndpoint),
    enableWebhookEndpoint: own(company.enableWebhookEndpoint, investor.enableWebhookEndpoint),
    rotateWebhookEndpoint: own(company.rotateWebhookEndpoint, investor.rotateWebhookEndpoint),
    testWebhookEndpoint: own(company.testWebhookEndpoint, investor.testWebhookEndpoint),
    replayWebhook: own(company.replayWebhook, investor.replayWebhook),
    listWebhookDeliveries: own(company.listWebhookDeliveries, investor.listWebhookDeliveries),
  };
}

export type OwnerUseCases = ReturnType<typeof createOwnerUseCases>;
