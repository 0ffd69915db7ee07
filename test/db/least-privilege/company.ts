import { expect } from 'vitest';
import type { CompanyCaller, CompanyUseCases } from '#core';
import { aCall } from '../../support/call.ts';
import { oneEvent } from './investor.ts';
import { type Acts, all, exact, type World } from './world.ts';

const key = 'cash_balance';
const url = 'https://hooks.example.com/new';
const later = () => new Date(Date.now() + 500 * 86_400_000);

type Asked = World & { readonly caller: CompanyCaller };

const acts: { readonly [Name in keyof CompanyUseCases]: (world: Asked) => unknown } = {
  admitCompany: ({ companies, companySecret }) => companies.admitCompany(companySecret, 1, aCall),
  listReceivedRequests: ({ companies, caller }) => companies.listReceivedRequests(caller),
  readReceivedRequest: async ({ companies, caller, grant }) =>
    companies.readReceivedRequest(caller, { id: (await grant()).id }),
  readReceivedRequestWithActors: async ({ companies, caller, grant }) =>
    companies.readReceivedRequestWithActors(caller, { id: (await grant()).id }),
  listWaitingRequests: ({ companies, caller }) => companies.listWaitingRequests(caller),
  countReceivedRequests: ({ companies, caller }) => companies.countReceivedRequests(caller),
  listEndingGrants: ({ companies, caller }) => companies.listEndingGrants(caller),
  listRequestingInvestors: ({ companies, caller }) => companies.listRequestingInvestors(caller),
  readReceivedReceipts: async ({ companies, caller, grant }) =>
    companies.readReceivedReceipts(caller, { id: (await grant()).id }),
  readReceivedChain: async ({ companies, caller, grant }) =>
    companies.readReceivedChain(caller, { id: (await grant()).id }),
  readCompanyEvents: ({ companies, caller }) => companies.readCompanyEvents(caller),
  watchCompanyEvents: (world) =>
    oneEvent(
      (signal) => world.companies.watchCompanyEvents(world.caller, {}, signal),
      world.request,
      world,
    ),
  previewScope: ({ companies, caller }) =>
    companies.previewScope(caller, { scope: 'metrics:read' }),
  approveRequest: async ({ companies, caller, request }) =>
    companies.approveRequest(caller, { id: (await request()).id }),
  declineRequest: async ({ companies, caller, request }) =>
    companies.declineRequest(caller, { id: (await request()).id, reason: 'No.' }),
  revokeRequest: async ({ companies, caller, grant }) =>
    companies.revokeRequest(caller, { id: (await grant()).id }),
  narrowRequest: async ({ companies, caller, grant }) =>
    companies.narrowRequest(caller, { id: (await grant()).id, terms: { metricKeys: [key] } }),
  pauseRequest: async ({ companies, caller, grant }) =>
    companies.pauseRequest(caller, { id: (await grant()).id }),
  async resumeRequest({ companies, caller, grant }) {
    const { id } = await grant();
    await companies.pauseRequest(caller, { id });
    return companies.resumeRequest(caller, { id });
  },
  readApprovalsRequired: ({ companies, caller }) => companies.readApprovalsRequired(caller),
  async setApprovalsRequired({ companies, caller }) {
    await companies.setApprovalsRequired(caller, { required: 2 });
    await companies.setApprovalsRequired(caller, { required: 1 });
  },
  listGrantsToReview: ({ companies, caller }) => companies.listGrantsToReview(caller),
  extendRequest: async ({ companies, caller, grant }) =>
    companies.extendRequest(caller, { id: (await grant()).id, expiresAt: later() }),
  listReceivedRecords: ({ companies, caller }) => companies.listReceivedRecords(caller),
  walkReceivedRecords: ({ companies, caller }) => all(companies.walkReceivedRecords(caller)),
  readAccessStatistics: ({ companies, caller }) => companies.readAccessStatistics(caller),
  readGrantUsage: async ({ companies, caller, grant }) =>
    companies.readGrantUsage(caller, { ids: [(await grant()).id] }),
  readOwnMetrics: ({ companies, caller }) => companies.readOwnMetrics(caller, {}),
  readOwnMetricHistory: ({ companies, caller }) => companies.readOwnMetricHistory(caller, { key }),
  readOwnMetricRevisions: ({ companies, caller }) =>
    companies.readOwnMetricRevisions(caller, { key }),
  listOwnMetricEntries: ({ companies, caller }) => companies.listOwnMetricEntries(caller, { key }),
  readOwnSources: ({ companies, caller }) => companies.readOwnSources(caller, {}),
  readOwnAccounts: ({ companies, caller }) => companies.readOwnAccounts(caller, {}),
  async previewPush({ companies, caller, records, upstream }) {
    const signed = await upstream.sign(2_001);
    const preview = await companies.previewPush(caller, { records: exact(...records, signed) });
    expect(preview.problems).toEqual([]);
    return preview;
  },
  async pushRecords({ companies, caller, records, upstream }) {
    const signed = async (value: number) => exact(...records, await upstream.sign(value));
    const push = (of: unknown[], idempotencyKey?: string) =>
      companies.pushRecords(caller, { records: of, idempotencyKey });
    const [first, kept] = [await signed(1), crypto.randomUUID()];
    const results = [
      await push(first, kept),
      await push(first, kept),
      await push(await signed(2)),
      await push(await signed(3)),
    ];
    expect(results.map(({ revised }) => revised)).toContain(1);
    return { results, revisions: await companies.readOwnMetricRevisions(caller, { key: 'arr' }) };
  },
  listOwnKeys: ({ companies, caller }) => companies.listOwnKeys(caller),
  async createOwnKey({ companies, companyPerson, operator }) {
    const minted = await companies.createOwnKey(companyPerson, { name: 'New' });
    await operator.revokeCompanyKey({ id: minted.key.id });
    return minted;
  },
  async revokeOwnKey({ companies, companyPerson, operator, companyId }) {
    const { key: made } = await operator.createCompanyKey({ companyId });
    return companies.revokeOwnKey(companyPerson, { id: made.id });
  },
  async rotateOwnKey({ companies, companyPerson, operator, companyId }) {
    const { key: made } = await operator.createCompanyKey({ companyId });
    const rotated = await companies.rotateOwnKey(companyPerson, { id: made.id });
    await operator.revokeCompanyKey({ id: rotated.key.id });
    return rotated;
  },
  listOwnContacts: ({ companies, companyPerson }) => companies.listOwnContacts(companyPerson),
  addOwnContact: ({ companies, companyPerson, caller }) =>
    companies.addOwnContact(companyPerson, {
      email: `${(caller as { kind: string }).kind}@example.com`,
    }),
  async changeOwnContactRole({ companies, companyPerson, ofCompany, person }) {
    const { contact } = await person(ofCompany);
    return companies.changeOwnContactRole(companyPerson, { id: contact.id, role: 'approver' });
  },
  async removeOwnContact({ companies, companyPerson, ofCompany, signedIn }) {
    const { contact } = await signedIn(ofCompany);
    return companies.removeOwnContact(companyPerson, { id: contact.id });
  },
  listOwnSettingsChanges: ({ companies, caller }) => companies.listOwnSettingsChanges(caller),
  listWebhookEndpoints: ({ companies, caller }) => companies.listWebhookEndpoints(caller),
  async createWebhookEndpoint({ companies, caller, operator }) {
    const minted = await companies.createWebhookEndpoint(caller, { url });
    await operator.removeWebhook({ id: minted.endpoint.id });
    return minted;
  },
  readWebhookEndpoint: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => companies.readWebhookEndpoint(caller, { id })),
  changeWebhookEndpoint: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) =>
      companies.changeWebhookEndpoint(caller, { id, types: ['source.failed'] }),
    ),
  removeWebhookEndpoint: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => companies.removeWebhookEndpoint(caller, { id })),
  enableWebhookEndpoint: ({ companies, caller, ofCompany, withDisabledEndpoint }) =>
    withDisabledEndpoint(ofCompany, (id) => companies.enableWebhookEndpoint(caller, { id })),
  rotateWebhookEndpoint: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => companies.rotateWebhookEndpoint(caller, { id })),
  testWebhookEndpoint: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => companies.testWebhookEndpoint(caller, { id })),
  replayWebhook: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, (of) => companies.replayWebhook(caller, of)),
  listWebhookDeliveries: ({ companies, caller, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => companies.listWebhookDeliveries(caller, { id })),
};

const actsOf = (callerOf: (world: World) => CompanyCaller) =>
  Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [
      name,
      (world: World) => act({ ...world, caller: callerOf(world) }),
    ]),
  ) as Acts<CompanyUseCases>;

export const companyKeyActs = actsOf(({ companyKey }) => companyKey);
export const companyContactActs = actsOf(({ companyPerson }) => companyPerson);
