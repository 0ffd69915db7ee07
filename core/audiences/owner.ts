import type { ContactCaller, InvestorContactCaller } from '../model/identity/caller.ts';
import type { CompanyUseCases, InvestorUseCases } from './index.ts';

/** Creates the use cases that companies' contacts and investors' contacts share. The use cases act for one contact. */
export function createOwnerUseCases(
  company: CompanyUseCases,
  investor: InvestorUseCases,
  caller: ContactCaller | InvestorContactCaller,
) {
  const bindToOwner =
    <Input extends unknown[], OfCompany, OfInvestor>(
      companyUseCase: (caller: ContactCaller, ...input: Input) => OfCompany,
      investorUseCase: (caller: InvestorContactCaller, ...input: Input) => OfInvestor,
    ) =>
    (...input: Input): OfCompany | OfInvestor =>
      caller.kind === 'contact'
        ? companyUseCase(caller, ...input)
        : investorUseCase(caller, ...input);
  return {
    readChain: bindToOwner(company.readReceivedChain, investor.readOwnChain),
    listContacts: bindToOwner(company.listOwnContacts, investor.listOwnContacts),
    addContact: bindToOwner(company.addOwnContact, investor.addOwnContact),
    changeContactRole: bindToOwner(company.changeOwnContactRole, investor.changeOwnContactRole),
    removeContact: bindToOwner(company.removeOwnContact, investor.removeOwnContact),
    listKeys: bindToOwner(company.listOwnKeys, investor.listOwnKeys),
    rotateKey: bindToOwner(company.rotateOwnKey, investor.rotateOwnKey),
    revokeKey: bindToOwner(company.revokeOwnKey, investor.revokeOwnKey),
    listSettingsChanges: bindToOwner(
      company.listOwnSettingsChanges,
      investor.listOwnSettingsChanges,
    ),
    listWebhookEndpoints: bindToOwner(company.listWebhookEndpoints, investor.listWebhookEndpoints),
    createWebhookEndpoint: bindToOwner(
      company.createWebhookEndpoint,
      investor.createWebhookEndpoint,
    ),
    readWebhookEndpoint: bindToOwner(company.readWebhookEndpoint, investor.readWebhookEndpoint),
    removeWebhookEndpoint: bindToOwner(
      company.removeWebhookEndpoint,
      investor.removeWebhookEndpoint,
    ),
    enableWebhookEndpoint: bindToOwner(
      company.enableWebhookEndpoint,
      investor.enableWebhookEndpoint,
    ),
    rotateWebhookEndpoint: bindToOwner(
      company.rotateWebhookEndpoint,
      investor.rotateWebhookEndpoint,
    ),
    testWebhookEndpoint: bindToOwner(company.testWebhookEndpoint, investor.testWebhookEndpoint),
    replayWebhook: bindToOwner(company.replayWebhook, investor.replayWebhook),
    listWebhookDeliveries: bindToOwner(
      company.listWebhookDeliveries,
      investor.listWebhookDeliveries,
    ),
  };
}

export type OwnerUseCases = ReturnType<typeof createOwnerUseCases>;
