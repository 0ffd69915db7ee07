import { expect } from 'vitest';
import { consistencyChecks, type Inconsistency, type OperatorUseCases } from '#core';
import { formats } from '../../../cli/export/lines.ts';
import { confirm } from '../../support/receipt-chain.ts';
import type { Acts, World } from './world.ts';

const key = 'cash_balance';
const url = 'https://hooks.example.com/new';
const later = () => new Date(Date.now() + 500 * 86_400_000);
const nextId = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`;

async function* lines(records: readonly object[]) {
  for (const record of records) yield JSON.stringify(record);
}

async function importOf({ operator, companyId, investorId, fixtures, upstream }: World) {
  const problems: unknown[] = [];
  const { id } = await fixtures.company();
  const exported: string[] = [];
  await operator.exportCompany(companyId, async (records) => {
    exported.push(...records.map(formats.ndjson.line));
  });
  const others = [
    { type: 'company', id: nextId('co'), name: 'New', environment: 'live' },
    { type: 'company', id, name: 'Renamed', environment: 'live' },
    { type: 'portfolio', investor_id: investorId, company_id: id },
  ];
  const onProblem = (problem: unknown) => problems.push(problem);
  const written = [...others, await upstream.sign(3_001)].map((one) => JSON.stringify(one));
  async function* read() {
    yield* [...written, ...exported];
  }
  const first = await operator.importRecords(read(), { onProblem });
  const again = await operator.importRecords(read(), { onProblem });
  expect(problems).toEqual([]);
  return { first, again };
}

const weekAgo = () => new Date(Date.now() - 7 * 86_400_000);

export const operatorActs: Acts<OperatorUseCases> = {
  async exportCompany({ operator, companyId }) {
    const kinds: unknown[] = [];
    const count = await operator.exportCompany(companyId, async (records) => {
      kinds.push(...records.map((record) => Object.keys(record)));
    });
    return { count, kinds };
  },
  async findInconsistencies({ operator, lapsed }) {
    const found: Inconsistency[] = [];
    for (const check of consistencyChecks) {
      await operator.findInconsistencies(check, (one) => found.push(one));
    }
    return found.filter(({ subject }) => !lapsed.has(subject));
  },
  importRecords: importOf,
  readLatestOfCompany: ({ operator, companyId }) => operator.readLatestOfCompany({ companyId }),
  completeRecords: ({ operator, companyId }) => {
    const source = { system: 'ledger', method: 'file', last_synced: '2026-11-01T00:00:00Z' };
    const record = { type: 'metric', key, period: '2026-10-31', raw_value: '1', source };
    return operator.completeRecords({ companyId, records: [record] });
  },
  showMetricHistory: ({ operator, companyId }) =>
    operator.showMetricHistory({ companyId, key, withRevisions: true }),
  async signMissingMetrics({ operator, unsigned, fixtures }) {
    const { id } = await fixtures.company();
    const metric = (value: number) => ({
      ...{ type: 'metric', company_id: id, key: 'arr', period: '2026-10-31', raw_value: value },
      source: { system: 'ledger', method: 'api', last_synced: '2026-11-01T00:00:00Z' },
    });
    const onProblem = () => undefined;
    for (const value of [1, 2]) await unsigned.importRecords(lines([metric(value)]), { onProblem });
    return operator.signMissingMetrics();
  },
  async addToPortfolio({ operator, fixtures, investorId }) {
    const { id: companyId } = await fixtures.company();
    return operator.addToPortfolio({ investorId, companyId });
  },
  createCompany: ({ operator }) => operator.createCompany({ name: 'Made', environment: 'live' }),
  listCompanies: ({ operator }) => operator.listCompanies(),
  listPortfolios: ({ operator }) => operator.listPortfolios({ limit: 1_000 }),
  removeFromPortfolio: async ({ operator, ownGrant, investorId }) =>
    operator.removeFromPortfolio({ investorId, companyId: (await ownGrant()).companyId }),
  createInvestor: async ({ operator }) => [
    await operator.createInvestor({ name: 'Made', environment: 'live' }),
    await operator.createInvestor({ name: 'Made', environment: 'test', sandbox: true }),
  ],
  listInvestors: ({ operator }) => operator.listInvestors(),
  renameCompany: async ({ operator, neighbour }) =>
    operator.renameCompany({ id: (await neighbour()).id, name: 'Renamed' }),
  renameInvestor: async ({ operator, asker: requester }) =>
    operator.renameInvestor({ id: (await requester()).investor.id, name: 'Renamed' }),
  async resumeCompany({ operator, neighbour }) {
    const { id } = await neighbour();
    await operator.suspendCompany({ id });
    return operator.resumeCompany({ id });
  },
  async resumeInvestor({ operator, asker: requester }) {
    const { id } = (await requester()).investor;
    await operator.suspendInvestor({ id });
    return operator.resumeInvestor({ id });
  },
  suspendCompany: async ({ operator, ownGrant }) =>
    operator.suspendCompany({ id: (await ownGrant()).companyId }),
  suspendInvestor: async ({ operator, grant }) =>
    operator.suspendInvestor({ id: (await grant()).investorId }),
  // Only the owner of the tables may change records that are otherwise final.
  async eraseCompany({ owner, neighbour }) {
    const { id, name } = await neighbour();
    return owner.eraseCompany({ id, name });
  },
  async eraseInvestor({ owner, asker: requester }) {
    const { id, name } = (await requester()).investor;
    return owner.eraseInvestor({ id, name });
  },
  async eraseContact({ owner, person, ofCompany }) {
    const { email } = await person(ofCompany);
    return owner.eraseContact({ email, confirmation: email });
  },
  listSettingsChanges: ({ operator, companyId }) => operator.listSettingsChanges({ companyId }),
  listMails: async ({ operator }) => (await operator.listMails({})).mails.length,
  listPublicKeys: ({ operator }) => operator.listPublicKeys(),
  listSigningKeys: ({ operator }) => operator.listSigningKeys(),
  registerSigningKey: ({ operator }) => operator.registerSigningKey({ atOnce: true }),
  async retireSigningKey({ operator }) {
    await operator.rotateSigningKey({ atOnce: true });
    const { previousKid } = await operator.rotateSigningKey({ atOnce: true });
    return operator.retireSigningKey(previousKid ?? '');
  },
  rotateSigningKey: ({ operator }) => operator.rotateSigningKey({ atOnce: true }),
  addUpstreamSigners: ({ operator, companyId, upstream }) =>
    operator.addUpstreamSigners({ companyId, jwks: upstream.jwks }),
  listUpstreamSigners: ({ operator, companyId }) => operator.listUpstreamSigners({ companyId }),
  async removeUpstreamSigner({ operator, fixtures, upstream }) {
    const { id: companyId } = await fixtures.company();
    await operator.addUpstreamSigners({ companyId, jwks: upstream.jwks });
    return operator.removeUpstreamSigner({ companyId, kid: 'ledger' });
  },
  async signMissingReceipts({ operator, unsigned, request }) {
    await unsigned.approveAccessRequest({ id: (await request()).id });
    return operator.signMissingReceipts({ confirm });
  },
  async exportAccessLog({ operator }) {
    const days = await operator.exportAccessLog(weekAgo());
    return Promise.all(days.map(({ read }) => Array.fromAsync(read())));
  },
  // Only the owner of the tables may drop a partition.
  dropAccessLog: ({ owner }) =>
    Array.fromAsync(owner.dropAccessLog({ before: weekAgo(), exported: new Map() })),
  requestAccess: async ({ operator, investorId, neighbour }) =>
    operator.requestAccess({
      investorId,
      companyId: (await neighbour()).id,
      scopes: ['sources:read'],
    }),
  listCompanyAccessRecords: ({ operator, companyId }) =>
    operator.listCompanyAccessRecords({ companyId, limit: 10 }),
  createSignInLink: ({ operator, investorId, investorEmail: email }) =>
    operator.createSignInLink({ investorId, email }),
  listContactSessions: ({ operator, investorId }) => operator.listContactSessions({ investorId }),
  approveAccessRequest: async ({ operator, request }) =>
    operator.approveAccessRequest({ id: (await request()).id }),
  declineAccessRequest: async ({ operator, request }) =>
    operator.declineAccessRequest({ id: (await request()).id }),
  revokeAccessRequest: async ({ operator, grant }) =>
    operator.revokeAccessRequest({ id: (await grant()).id }),
  narrowAccessRequest: async ({ operator, grant }) =>
    operator.narrowAccessRequest({ id: (await grant()).id, terms: { metricKeys: [key] } }),
  pauseAccessRequest: async ({ operator, grant }) =>
    operator.pauseAccessRequest({ id: (await grant()).id }),
  async resumeAccessRequest({ operator, grant }) {
    const { id } = await grant();
    await operator.pauseAccessRequest({ id });
    return operator.resumeAccessRequest({ id });
  },
  async setApprovalsRequired({ operator, neighbour }) {
    const { id: companyId } = await neighbour();
    await operator.setApprovalsRequired({ companyId, required: 2 });
    return operator.setApprovalsRequired({ companyId, required: 1 });
  },
  extendAccessRequest: async ({ operator, grant }) =>
    operator.extendAccessRequest({ id: (await grant()).id, expiresAt: later() }),
  listCompanyAccessRequests: ({ operator, companyId }) =>
    operator.listCompanyAccessRequests({ companyId }),
  showAccessRequest: async ({ operator, grant }) =>
    operator.showAccessRequest({ id: (await grant()).id }),
  listReceipts: async ({ operator, grant }) => operator.listReceipts({ id: (await grant()).id }),
  listAccessEvents: ({ operator }) => operator.listAccessEvents({}),
  createApiKey: async ({ operator, asker: requester }) =>
    operator.createApiKey({
      investorId: (await requester()).investor.id,
      scopes: ['metrics:read'],
    }),
  listApiKeys: ({ operator }) => operator.listApiKeys({}),
  renameApiKey: ({ operator, keyId }) => operator.renameApiKey({ id: keyId, name: 'Renamed' }),
  async revokeApiKey({ operator, fixtures, investorId }) {
    const { keyId } = await fixtures.key({ id: investorId });
    return operator.revokeApiKey({ id: keyId });
  },
  async rotateApiKey({ operator, fixtures, asker: requester }) {
    const { keyId } = await fixtures.key((await requester()).investor);
    return operator.rotateApiKey({ id: keyId });
  },
  listCompanyKeys: ({ operator }) => operator.listCompanyKeys({}),
  renameCompanyKey: ({ operator, companyKeyId }) =>
    operator.renameCompanyKey({ id: companyKeyId, name: 'Renamed' }),
  createCompanyKey: async ({ operator, neighbour }) =>
    operator.createCompanyKey({ companyId: (await neighbour()).id }),
  async revokeCompanyKey({ operator, fixtures, neighbour }) {
    const { keyId } = await fixtures.companyKey((await neighbour()).id);
    return operator.revokeCompanyKey({ id: keyId });
  },
  async rotateCompanyKey({ operator, fixtures, neighbour }) {
    const { keyId } = await fixtures.companyKey((await neighbour()).id);
    return operator.rotateCompanyKey({ id: keyId });
  },
  addContact: async ({ operator, neighbour }) =>
    operator.addContact({ companyId: (await neighbour()).id, email: 'new@example.com' }),
  listContacts: ({ operator, ofCompany }) => operator.listContacts(ofCompany),
  async changeContactRole({ operator, person, ofCompany }) {
    const { contact } = await person(ofCompany);
    return operator.changeContactRole({ id: contact.id, role: 'viewer' });
  },
  async removeContact({ operator, signedIn, ofCompany }) {
    const { contact } = await signedIn(ofCompany);
    return operator.removeContact({ id: contact.id });
  },
  async endContactSession({ operator, signedIn, ofCompany }) {
    const { email } = await signedIn(ofCompany);
    const sessions = await operator.listContactSessions(ofCompany);
    const session = sessions.find((one) => one.email === email);
    return operator.endContactSession({ id: session?.id ?? '' });
  },
  addWebhook: async ({ operator, neighbour }) =>
    operator.addWebhook({ companyId: (await neighbour()).id, url }),
  listWebhooks: ({ operator }) => operator.listWebhooks({}),
  removeWebhook: ({ operator, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => operator.removeWebhook({ id })),
  enableWebhook: ({ operator, ofCompany, withDisabledEndpoint }) =>
    withDisabledEndpoint(ofCompany, (id) => operator.enableWebhook({ id })),
  rotateWebhook: ({ operator, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => operator.rotateWebhook({ id })),
  testWebhook: ({ operator, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => operator.testWebhook({ id })),
  replayWebhook: ({ operator, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, (of) => operator.replayWebhook(of)),
  listDeliveriesOfWebhook: ({ operator, ofCompany, withEndpoint }) =>
    withEndpoint(ofCompany, ({ id }) => operator.listDeliveriesOfWebhook({ id })),
};
