import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { choicesOf, type InvestorUseCases } from '#core';
import { aCall } from '../../support/call.ts';
import { type Acts, all, exact, type World } from './world.ts';

const key = 'cash_balance';
const url = 'https://hooks.example.com/new';

export async function oneEvent(
  watch: (signal: AbortSignal) => Promise<{ readonly events: AsyncIterator<unknown> }>,
  change: () => Promise<unknown>,
  { eventFeed }: World,
) {
  const leaving = new AbortController();
  const { events } = await watch(leaving.signal);
  const next = events.next();
  await eventFeed.poll();
  await change();
  await eventFeed.poll();
  const found = await next;
  await eventFeed.checkKeys();
  leaving.abort();
  await events.return?.();
  return found;
}

/** The actions of an investor with its API key, or at the desk if only contacts may do them. */
export const investorActs: Acts<InvestorUseCases> = {
  pagePortfolio: ({ investors, investorKey }) => investors.pagePortfolio(investorKey, {}),
  readAccounts: ({ investors, investorKey, companyId }) =>
    investors.readAccounts(investorKey, { companyId }),
  readLatestMetric: ({ investors, investorKey, companyId }) =>
    investors.readLatestMetric(investorKey, { companyId, key }),
  readLatestMetrics: ({ investors, investorKey, companyId }) =>
    investors.readLatestMetrics(investorKey, { companyId }),
  readMetricHistories: ({ investors, investorKey, companyId }) =>
    investors.readMetricHistories(investorKey, { companyId, keys: [key, 'headcount'] }),
  readMetricHistory: ({ investors, investorKey, companyId }) =>
    investors.readMetricHistory(investorKey, { companyId, key }),
  readMetricRevisions: ({ investors, investorKey, companyId }) =>
    investors.readMetricRevisions(investorKey, { companyId, key }),
  readReports({ investors, investorKey }) {
    expect(() => investors.readReports(investorKey)).toThrow();
  },
  readSources: ({ investors, investorKey, companyId }) =>
    investors.readSources(investorKey, { companyId }),
  listPortfolio: ({ investors, investorKey }) => investors.listPortfolio(investorKey, {}),
  readPortfolioCompany: ({ investors, investorKey, companyId }) =>
    investors.readPortfolioCompany(investorKey, { companyId }),
  readPortfolioOverview: ({ investors, investorPerson }) =>
    investors.readPortfolioOverview(investorPerson),
  readPortfolioFigures: ({ investors, investorPerson, companyId }) =>
    investors.readPortfolioFigures(investorPerson, {
      companyIds: [companyId],
      metrics: 5,
      values: 5,
    }),
  walkMetricHistories: ({ investors, investorKey, companyId }) =>
    all(investors.walkMetricHistories(investorKey, { companyIds: [companyId], keys: [key] })),
  pageAccessRequests: ({ investors, investorKey }) => investors.pageAccessRequests(investorKey, {}),
  walkAccessRequests: ({ investors, investorKey }) =>
    all(investors.walkAccessRequests(investorKey, {})),
  async waitForDecision(world) {
    const { investors, investorKey, operator, eventFeed, ownRequest } = world;
    const { id } = await ownRequest();
    const waiting = investors.waitForDecision(investorKey, { id }, AbortSignal.timeout(60_000));
    await operator.declineAccessRequest({ id });
    let isOver = false;
    void waiting.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await eventFeed.poll();
      await setImmediate();
    }
    return waiting;
  },
  admitCaller: ({ investors, secret, companyId }) =>
    investors.admitCaller(secret, 1, aCall, companyId),
  chargeCaller: ({ investors, investorKey }) => investors.chargeCaller(investorKey, 1),
  readCallingKey: ({ investors, investorKey }) => investors.readCallingKey(investorKey, {}),
  async rotateCallingKey({ investors, fixtures, investorId }) {
    const { key: secret } = await fixtures.key({ id: investorId });
    const admission = await investors.admitCaller(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return investors.rotateCallingKey(admission.caller, {});
  },
  readInvestor: ({ investors, investorKey }) => investors.readInvestor(investorKey),
  listAccessRecords: ({ investors, investorKey }) => investors.listAccessRecords(investorKey, {}),
  listOwnRecords: ({ investors, investorKey }) => investors.listOwnRecords(investorKey, {}),
  listAccessRequests: ({ investors, investorKey }) => investors.listAccessRequests(investorKey, {}),
  watchAccessRequests: (world) =>
    oneEvent(
      (signal) => world.investors.watchAccessRequests(world.investorKey, {}, signal),
      world.ownRequest,
      world,
    ),
  watchCompanyData: (world) =>
    oneEvent(
      (signal) => world.investors.watchCompanyData(world.investorKey, {}, signal),
      async () => {
        const records = exact(await world.upstream.sign(1_001));
        await world.companies.pushRecords(world.companyKey, { records });
      },
      world,
    ),
  watchInvestorEvents: (world) =>
    oneEvent(
      (signal) => world.investors.watchInvestorEvents(world.investorPerson, {}, signal),
      world.ownRequest,
      world,
    ),
  readAccessRequest: async ({ investors, investorKey, ownGrant }) =>
    investors.readAccessRequest(investorKey, { id: (await ownGrant()).id }),
  readAccessRequestHistory: async ({ investors, investorKey, ownGrant }) =>
    investors.readAccessRequestHistory(investorKey, { id: (await ownGrant()).id }),
  readReceipts: async ({ investors, investorKey, ownGrant }) =>
    investors.readReceipts(investorKey, { id: (await ownGrant()).id }),
  readReceiptsHead: async ({ investors, investorKey, ownGrant }) =>
    investors.readReceiptsHead(investorKey, { id: (await ownGrant()).id }),
  listOwnSettingsChanges: ({ investors, investorKey }) =>
    investors.listOwnSettingsChanges(investorKey),
  readInvestorEvents: ({ investors, investorKey }) => investors.readInvestorEvents(investorKey),
  async requestAccess({ investors, investorKey, investorPerson, neighbour, lapse }) {
    const scopes = ['metrics:read'] as const;
    const byKey = await investors.requestAccess(investorKey, {
      companyId: (await neighbour()).id,
      scopes: [...scopes],
      idempotencyKey: crypto.randomUUID(),
    });
    const companyId = (await neighbour()).id;
    const again = { companyId, scopes: [...scopes] };
    const byPerson = await investors.requestAccess(investorPerson, again);
    // An investor can have only one open request to a company.
    await lapse(byPerson.accessRequest.id);
    return [byKey, byPerson, await investors.requestAccess(investorKey, again)];
  },
  async amendAccessRequest({ investors, investorKey, ownGrant }) {
    const { id } = await ownGrant(['metrics:read']);
    return investors.amendAccessRequest(investorKey, { id, scopes: ['accounts:read'] });
  },
  withdrawAccessRequest: async ({ investors, investorPerson, ownRequest }) =>
    investors.withdrawAccessRequest(investorPerson, { id: (await ownRequest()).id }),
  listOwnContacts: ({ investors, investorPerson }) => investors.listOwnContacts(investorPerson),
  addOwnContact: ({ investors, investorPerson }) =>
    investors.addOwnContact(investorPerson, { email: 'added@example.com' }),
  async changeOwnContactRole({ investors, investorPerson, ofInvestor, person }) {
    const { contact } = await person(ofInvestor);
    return investors.changeOwnContactRole(investorPerson, { id: contact.id, role: 'member' });
  },
  async removeOwnContact({ investors, investorPerson, ofInvestor, signedIn }) {
    const { contact } = await signedIn(ofInvestor);
    return investors.removeOwnContact(investorPerson, { id: contact.id });
  },
  listWebhookEndpoints: ({ investors, investorKey }) => investors.listWebhookEndpoints(investorKey),
  async createWebhookEndpoint({ investors, investorKey, operator }) {
    const minted = await investors.createWebhookEndpoint(investorKey, { url });
    await operator.removeWebhook({ id: minted.endpoint.id });
    return minted;
  },
  readWebhookEndpoint: ({ investors, investorKey, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, ({ id }) => investors.readWebhookEndpoint(investorKey, { id })),
  changeWebhookEndpoint: ({ investors, investorKey, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, ({ id }) =>
      investors.changeWebhookEndpoint(investorKey, { id, types: ['source.failed'] }),
    ),
  removeWebhookEndpoint: ({ investors, investorPerson, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, ({ id }) => investors.removeWebhookEndpoint(investorPerson, { id })),
  enableWebhookEndpoint: ({ investors, investorKey, ofInvestor, withDisabledEndpoint }) =>
    withDisabledEndpoint(ofInvestor, (id) => investors.enableWebhookEndpoint(investorKey, { id })),
  rotateWebhookEndpoint: ({ investors, investorKey, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, ({ id }) => investors.rotateWebhookEndpoint(investorKey, { id })),
  testWebhookEndpoint: ({ investors, investorKey, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, ({ id }) => investors.testWebhookEndpoint(investorKey, { id })),
  replayWebhook: ({ investors, investorKey, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, (of) => investors.replayWebhook(investorKey, of)),
  listWebhookDeliveries: ({ investors, investorKey, ofInvestor, withEndpoint }) =>
    withEndpoint(ofInvestor, ({ id }) => investors.listWebhookDeliveries(investorKey, { id })),
  listOwnRequests: ({ investors, investorPerson }) => investors.listOwnRequests(investorPerson),
  readOwnRequest: async ({ investors, investorPerson, ownGrant }) =>
    investors.readOwnRequest(investorPerson, { id: (await ownGrant()).id }),
  readOwnChain: async ({ investors, investorPerson, ownGrant }) =>
    investors.readOwnChain(investorPerson, { id: (await ownGrant()).id }),
  walkOwnRecords: ({ investors, investorPerson }) => all(investors.walkOwnRecords(investorPerson)),
  readOwnMailSettings: ({ investors, investorPerson }) =>
    investors.readOwnMailSettings(investorPerson),
  saveOwnMailSettings: ({ investors, investorPerson }) =>
    investors.saveOwnMailSettings(investorPerson, {
      language: 'en',
      timeZone: 'UTC',
      choices: choicesOf('admin', {}),
    }),
  readOwnUsage: ({ investors, investorPerson }) => investors.readOwnUsage(investorPerson),
  listOwnKeys: ({ investors, investorPerson }) => investors.listOwnKeys(investorPerson),
  async createOwnKey({ investors, investorPerson, operator }) {
    const minted = await investors.createOwnKey(investorPerson, { scopes: ['metrics:read'] });
    await operator.revokeApiKey({ id: minted.key.id });
    return minted;
  },
  async revokeOwnKey({ investors, investorPerson, fixtures, investorId }) {
    const { keyId } = await fixtures.key({ id: investorId });
    return investors.revokeOwnKey(investorPerson, { id: keyId });
  },
  async rotateOwnKey({ investors, investorPerson, fixtures, investorId }) {
    const { keyId } = await fixtures.key({ id: investorId });
    return investors.rotateOwnKey(investorPerson, { id: keyId, overlapMilliseconds: 0 });
  },
};
