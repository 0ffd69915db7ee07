import {
  type CompanyUseCases,
  type ContactCaller,
  choicesOf,
  companyRoles,
  type InvestorContactCaller,
  type InvestorUseCases,
  investorRoles,
  type Role,
} from '#core';
import { packFile } from '../../../desk/company/data/file.ts';
import type { Fields } from '../../desk/desk.ts';
import type { World } from './world.ts';

/** A page or a form that a contact requests at the desk. */
export interface Form {
  readonly path: string;
  /** Undefined for a page. */
  readonly fields?: Fields;
  readonly file?: string;
}

/**
 * An action and the roles that may perform it. The roles come from the written rule, not from the
 * code that enforces it.
 */
interface Act<Name, Ask> {
  readonly name: string;
  readonly of: Name;
  readonly may: readonly Role[];
  readonly ask: Ask;
  /** The page or form at the desk that performs the action, if there is one. */
  readonly form?: (world: World) => Form;
}

type AskedOf<UseCases, Caller> = (useCases: UseCases, caller: Caller, world: World) => unknown;

type CompanyAct = Act<keyof CompanyUseCases, AskedOf<CompanyUseCases, ContactCaller>>;

type InvestorAct = Act<keyof InvestorUseCases, AskedOf<InvestorUseCases, InvestorContactCaller>>;

const deciders = ['approver', 'admin'] as const;
const askers = ['member', 'admin'] as const;
const admins = ['admin'] as const;

const once = () => crypto.randomUUID();
const until = '365';
const later = () => new Date(Date.now() + 500 * 86_400_000);

const url = 'https://hooks.example.com/in';

const uploaded = [
  'key,period,raw_value,source.system,source.method,source.last_synced',
  'arr,2026-10-31,200,Ledger,file,2026-11-02T08:00:00Z',
  '',
].join('\r\n');
const packed = await packFile(new TextEncoder().encode(uploaded));

const page = (path: string) => () => ({ path: `/desk${path}` });
const form = (path: string, fields: Fields = {}): Form => ({ path: `/desk${path}`, fields });

const decision = (request: { readonly id: string; readonly version: string }, fields: Fields) =>
  form(`/requests/${request.id}/decide`, { version: request.version, ...fields });

/** Starts a stream, waits for its first answer and disconnects. */
async function beginStream(watch: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const leaving = new AbortController();
  await watch(leaving.signal);
  leaving.abort();
}

const begin = (walk: AsyncGenerator<unknown>) => walk.next();

/** The forms are the same for companies and investors. */
const inSettings = {
  invite: form('/settings/contacts', { email: 'new@example.com', role: 'admin' }),
  giveRole: ({ colleague: { id } }: World) =>
    form(`/settings/contacts/${id}/role`, { role: 'admin' }),
  giveItselfRole: ({ person: { id } }: World) =>
    form(`/settings/contacts/${id}/role`, { role: 'admin' }),
  remove: ({ colleague: { id } }: World) => form(`/settings/contacts/${id}/remove`),
  createKey: (scope: string) =>
    form('/settings/keys', { scopes: [scope], until: 'none', form: once() }),
  rotateKey: ({ keyId }: World) =>
    form(`/settings/keys/${keyId}/rotate`, { overlap: 'day', form: once() }),
  revokeKey: ({ keyId }: World) => form(`/settings/keys/${keyId}/revoke`),
  addWebhook: () => form('/settings/webhooks', { url, form: once() }),
  removeWebhook: ({ endpointId }: World) => form(`/settings/webhooks/${endpointId}/remove`),
  enableWebhook: ({ endpointId }: World) => form(`/settings/webhooks/${endpointId}/enable`),
  rotateWebhook: ({ endpointId }: World) =>
    form(`/settings/webhooks/${endpointId}/rotate`, { form: once() }),
  testWebhook: ({ endpointId }: World) => form(`/settings/webhooks/${endpointId}/test`),
  replayWebhook: ({ endpointId, eventId }: World) =>
    form(`/settings/webhooks/${endpointId}/replay`, { event: eventId }),
};

const settings = [
  'addOwnContact',
  'changeOwnContactRole',
  'removeOwnContact',
  'revokeOwnKey',
  'rotateOwnKey',
  'createWebhookEndpoint',
  'changeWebhookEndpoint',
  'removeWebhookEndpoint',
  'enableWebhookEndpoint',
  'rotateWebhookEndpoint',
  'testWebhookEndpoint',
  'replayWebhook',
  'listOwnContacts',
  'listOwnKeys',
  'listOwnSettingsChanges',
  'listWebhookEndpoints',
  'readWebhookEndpoint',
  'listWebhookDeliveries',
] as const satisfies readonly (keyof CompanyUseCases & keyof InvestorUseCases)[];

type Setting = (typeof settings)[number];

type Own = Readonly<Record<Setting, (input?: object) => Promise<unknown>>>;

function ownOf(useCases: object, caller: object): Own {
  const acts = useCases as Record<Setting, (...given: unknown[]) => Promise<unknown>>;
  const bound = settings.map((name) => [name, (input?: object) => acts[name](caller, input)]);
  return Object.fromEntries(bound) as Own;
}

/** These actions are the same for companies and investors. */
const settingsActs: readonly Act<Setting, (own: Own, world: World) => Promise<unknown>>[] = [
  {
    name: 'invites a person',
    of: 'addOwnContact',
    may: admins,
    ask: (own) => own.addOwnContact({ email: 'new@example.com' }),
    form: () => inSettings.invite,
  },
  {
    name: 'gives another role',
    of: 'changeOwnContactRole',
    may: admins,
    ask: (own, { colleague: { id } }) => own.changeOwnContactRole({ id, role: 'admin' }),
    form: inSettings.giveRole,
  },
  {
    name: 'gives itself the role of an admin',
    of: 'changeOwnContactRole',
    may: admins,
    ask: (own, { person: { id } }) => own.changeOwnContactRole({ id, role: 'admin' }),
    form: inSettings.giveItselfRole,
  },
  {
    name: 'removes a person',
    of: 'removeOwnContact',
    may: admins,
    ask: (own, { colleague: { id } }) => own.removeOwnContact({ id }),
    form: inSettings.remove,
  },
  {
    name: 'rotates a key',
    of: 'rotateOwnKey',
    may: admins,
    ask: (own, { keyId: id }) => own.rotateOwnKey({ id }),
    form: inSettings.rotateKey,
  },
  {
    name: 'revokes a key',
    of: 'revokeOwnKey',
    may: admins,
    ask: (own, { keyId: id }) => own.revokeOwnKey({ id }),
    form: inSettings.revokeKey,
  },
  {
    name: 'adds a webhook',
    of: 'createWebhookEndpoint',
    may: admins,
    ask: (own) => own.createWebhookEndpoint({ url }),
    form: inSettings.addWebhook,
  },
  {
    name: 'changes a webhook',
    of: 'changeWebhookEndpoint',
    may: admins,
    ask: (own, { endpointId: id }) => own.changeWebhookEndpoint({ id, url }),
  },
  {
    name: 'removes a webhook',
    of: 'removeWebhookEndpoint',
    may: admins,
    ask: (own, { endpointId: id }) => own.removeWebhookEndpoint({ id }),
    form: inSettings.removeWebhook,
  },
  {
    name: 'enables a webhook',
    of: 'enableWebhookEndpoint',
    may: admins,
    ask: (own, { endpointId: id }) => own.enableWebhookEndpoint({ id }),
    form: inSettings.enableWebhook,
  },
  {
    name: 'rotates the secret of a webhook',
    of: 'rotateWebhookEndpoint',
    may: admins,
    ask: (own, { endpointId: id }) => own.rotateWebhookEndpoint({ id }),
    form: inSettings.rotateWebhook,
  },
  {
    name: 'tries a webhook',
    of: 'testWebhookEndpoint',
    may: admins,
    ask: (own, { endpointId: id }) => own.testWebhookEndpoint({ id }),
    form: inSettings.testWebhook,
  },
  {
    name: 'replays a webhook',
    of: 'replayWebhook',
    may: admins,
    ask: (own, { endpointId: id, eventId }) => own.replayWebhook({ id, eventId }),
    form: inSettings.replayWebhook,
  },
];

type Looks<Name, Ask> = readonly (readonly [of: Name, ask: Ask, form?: (world: World) => Form])[];

/** A company's contact may perform these reads in every role. */
const companyLooks: Looks<CompanyAct['of'], CompanyAct['ask']> = [
  [
    'listReceivedRequests',
    (useCases, caller) => useCases.listReceivedRequests(caller),
    page('/requests'),
  ],
  [
    'readReceivedRequest',
    (useCases, caller, { pending: { id } }) => useCases.readReceivedRequest(caller, { id }),
    ({ pending: { id } }) => ({ path: `/desk/requests/${id}` }),
  ],
  [
    'readReceivedRequestWithActors',
    (useCases, caller, { granted: { id } }) =>
      useCases.readReceivedRequestWithActors(caller, { id }),
  ],
  ['listWaitingRequests', (useCases, caller) => useCases.listWaitingRequests(caller), page('/')],
  ['countReceivedRequests', (useCases, caller) => useCases.countReceivedRequests(caller)],
  [
    'listEndingGrants',
    (useCases, caller) => useCases.listEndingGrants(caller, { withinDays: 30 }),
    page('/grants'),
  ],
  ['listGrantsToReview', (useCases, caller) => useCases.listGrantsToReview(caller)],
  ['readApprovalsRequired', (useCases, caller) => useCases.readApprovalsRequired(caller)],
  ['listRequestingInvestors', (useCases, caller) => useCases.listRequestingInvestors(caller)],
  [
    'readReceivedReceipts',
    (useCases, caller, { granted: { id } }) => useCases.readReceivedReceipts(caller, { id }),
    ({ granted: { id } }) => ({ path: `/desk/requests/${id}/receipts` }),
  ],
  [
    'readReceivedChain',
    (useCases, caller, { granted: { id } }) => useCases.readReceivedChain(caller, { id }),
    ({ granted: { id } }) => ({ path: `/desk/requests/${id}/receipts.json` }),
  ],
  ['readCompanyEvents', (useCases, caller) => useCases.readCompanyEvents(caller)],
  [
    'watchCompanyEvents',
    (useCases, caller) => beginStream((signal) => useCases.watchCompanyEvents(caller, {}, signal)),
  ],
  ['previewScope', (useCases, caller) => useCases.previewScope(caller, { scope: 'metrics:read' })],
  [
    'listReceivedRecords',
    (useCases, caller) => useCases.listReceivedRecords(caller),
    page('/activity'),
  ],
  [
    'walkReceivedRecords',
    (useCases, caller) => begin(useCases.walkReceivedRecords(caller)),
    page('/activity.csv'),
  ],
  ['readAccessStatistics', (useCases, caller) => useCases.readAccessStatistics(caller)],
  [
    'readGrantUsage',
    (useCases, caller, { granted: { id } }) => useCases.readGrantUsage(caller, { ids: [id] }),
  ],
  ['readOwnMetrics', (useCases, caller) => useCases.readOwnMetrics(caller, {}), page('/data')],
  [
    'readOwnMetricHistory',
    (useCases, caller) => useCases.readOwnMetricHistory(caller, { key: 'cash_balance' }),
  ],
  [
    'readOwnMetricRevisions',
    (useCases, caller) => useCases.readOwnMetricRevisions(caller, { key: 'cash_balance' }),
  ],
  [
    'listOwnMetricEntries',
    (useCases, caller) => useCases.listOwnMetricEntries(caller, { key: 'cash_balance' }),
    page('/data/metrics/cash_balance'),
  ],
  ['readOwnSources', (useCases, caller) => useCases.readOwnSources(caller, {})],
  ['readOwnAccounts', (useCases, caller) => useCases.readOwnAccounts(caller, {})],
];

/** An investor's contact may perform these reads in every role. They include data that companies grant. */
const investorLooks: Looks<InvestorAct['of'], InvestorAct['ask']> = [
  ['pagePortfolio', (useCases, caller) => useCases.pagePortfolio(caller), page('/portfolio')],
  ['listPortfolio', (useCases, caller) => useCases.listPortfolio(caller)],
  ['readPortfolioOverview', (useCases, caller) => useCases.readPortfolioOverview(caller)],
  [
    'readPortfolioCompany',
    (useCases, caller, { companyId }) => useCases.readPortfolioCompany(caller, { companyId }),
    ({ companyId }) => ({ path: `/desk/portfolio/${companyId}` }),
  ],
  [
    'readPortfolioFigures',
    (useCases, caller, { companyId }) =>
      useCases.readPortfolioFigures(caller, { companyIds: [companyId], metrics: 1, values: 1 }),
    ({ companyId }) => ({ path: `/desk/compare?company=${companyId}` }),
  ],
  [
    'readLatestMetrics',
    (useCases, caller, { companyId }) => useCases.readLatestMetrics(caller, { companyId }),
  ],
  [
    'readLatestMetric',
    (useCases, caller, { companyId }) =>
      useCases.readLatestMetric(caller, { companyId, key: 'cash_balance' }),
  ],
  [
    'readMetricHistory',
    (useCases, caller, { companyId }) =>
      useCases.readMetricHistory(caller, { companyId, key: 'cash_balance' }),
  ],
  [
    'readMetricHistories',
    (useCases, caller, { companyId }) =>
      useCases.readMetricHistories(caller, { companyId, keys: ['cash_balance'] }),
    ({ companyId }) => ({ path: `/desk/portfolio/${companyId}/history.csv?key=cash_balance` }),
  ],
  [
    'readMetricRevisions',
    (useCases, caller, { companyId }) =>
      useCases.readMetricRevisions(caller, { companyId, key: 'cash_balance' }),
  ],
  ['readSources', (useCases, caller, { companyId }) => useCases.readSources(caller, { companyId })],
  [
    'readAccounts',
    (useCases, caller, { companyId }) => useCases.readAccounts(caller, { companyId }),
  ],
  ['readInvestor', (useCases, caller) => useCases.readInvestor(caller)],
  [
    'walkMetricHistories',
    (useCases, caller, { companyId }) =>
      begin(
        useCases.walkMetricHistories(caller, { companyIds: [companyId], keys: ['cash_balance'] }),
      ),
  ],
  ['listAccessRequests', (useCases, caller) => useCases.listAccessRequests(caller)],
  ['pageAccessRequests', (useCases, caller) => useCases.pageAccessRequests(caller)],
  ['walkAccessRequests', (useCases, caller) => begin(useCases.walkAccessRequests(caller))],
  [
    'waitForDecision',
    (useCases, caller, { granted: { id } }) => useCases.waitForDecision(caller, { id }),
  ],
  [
    'readAccessRequest',
    (useCases, caller, { granted: { id } }) => useCases.readAccessRequest(caller, { id }),
  ],
  [
    'readAccessRequestHistory',
    (useCases, caller, { granted: { id } }) => useCases.readAccessRequestHistory(caller, { id }),
  ],
  [
    'readReceipts',
    (useCases, caller, { granted: { id } }) => useCases.readReceipts(caller, { id }),
  ],
  [
    'readReceiptsHead',
    (useCases, caller, { granted: { id } }) => useCases.readReceiptsHead(caller, { id }),
  ],
  [
    'readOwnChain',
    (useCases, caller, { granted: { id } }) => useCases.readOwnChain(caller, { id }),
    ({ granted: { id } }) => ({ path: `/desk/requests/${id}/receipts` }),
  ],
  ['listOwnRequests', (useCases, caller) => useCases.listOwnRequests(caller), page('/requests')],
  [
    'readOwnRequest',
    (useCases, caller, { granted: { id } }) => useCases.readOwnRequest(caller, { id }),
    ({ granted: { id } }) => ({ path: `/desk/requests/${id}` }),
  ],
  ['listAccessRecords', (useCases, caller) => useCases.listAccessRecords(caller)],
  ['listOwnRecords', (useCases, caller) => useCases.listOwnRecords(caller), page('/activity')],
  [
    'walkOwnRecords',
    (useCases, caller) => begin(useCases.walkOwnRecords(caller)),
    page('/activity.csv'),
  ],
  [
    'readOwnMailSettings',
    (useCases, caller) => useCases.readOwnMailSettings(caller),
    page('/settings/mails'),
  ],
  [
    'saveOwnMailSettings',
    (useCases, caller) =>
      useCases.saveOwnMailSettings(caller, {
        language: 'en',
        timeZone: 'UTC',
        choices: choicesOf('admin', {}),
      }),
  ],
  ['readOwnUsage', (useCases, caller) => useCases.readOwnUsage(caller), page('/settings/usage')],
  ['readInvestorEvents', (useCases, caller) => useCases.readInvestorEvents(caller)],
  [
    'watchInvestorEvents',
    (useCases, caller) => beginStream((signal) => useCases.watchInvestorEvents(caller, {}, signal)),
  ],
  [
    'watchAccessRequests',
    (useCases, caller) => beginStream((signal) => useCases.watchAccessRequests(caller, {}, signal)),
  ],
  [
    'watchCompanyData',
    (useCases, caller) => beginStream((signal) => useCases.watchCompanyData(caller, {}, signal)),
  ],
];

const settingsLooks: Looks<Setting, (own: Own, world: World) => Promise<unknown>> = [
  ['listOwnContacts', (own) => own.listOwnContacts(), page('/settings')],
  ['listOwnKeys', (own) => own.listOwnKeys(), page('/settings/keys')],
  ['listOwnSettingsChanges', (own) => own.listOwnSettingsChanges(), page('/settings/log')],
  ['listWebhookEndpoints', (own) => own.listWebhookEndpoints(), page('/settings/webhooks')],
  [
    'readWebhookEndpoint',
    (own, { endpointId: id }) => own.readWebhookEndpoint({ id }),
    ({ endpointId }) => ({ path: `/desk/settings/webhooks/${endpointId}` }),
  ],
  [
    'listWebhookDeliveries',
    (own, { endpointId: id }) => own.listWebhookDeliveries({ id }),
    ({ endpointId }) => ({ path: `/desk/settings/webhooks/${endpointId}?state=failed` }),
  ],
];

const looksOf = <Name extends string, Ask>(
  may: readonly Role[],
  looks: Looks<Name, Ask>,
): Act<Name, Ask>[] =>
  looks.map(([of, ask, form]) => ({ name: of, of, may, ask, ...(form && { form }) }));

const settingsOf = <UseCases extends object, Caller extends object>(
  roles: readonly Role[],
): Act<Setting, AskedOf<UseCases, Caller>>[] =>
  [...settingsActs, ...looksOf(roles, settingsLooks)].map((act) => ({
    ...act,
    ask: (useCases, caller, world) => act.ask(ownOf(useCases, caller), world),
  }));

export const companyActs: readonly CompanyAct[] = [
  {
    name: 'approves',
    of: 'approveRequest',
    may: deciders,
    ask: (useCases, caller, { pending: { id, version } }) =>
      useCases.approveRequest(caller, { id, version }),
    form: ({ pending }) =>
      decision(pending, { decision: 'approve', scopes: ['metrics:read'], until }),
  },
  {
    name: 'declines',
    of: 'declineRequest',
    may: deciders,
    ask: (useCases, caller, { pending: { id, version } }) =>
      useCases.declineRequest(caller, { id, version }),
    form: ({ pending }) => decision(pending, { decision: 'decline' }),
  },
  {
    name: 'revokes',
    of: 'revokeRequest',
    may: deciders,
    ask: (useCases, caller, { granted: { id } }) => useCases.revokeRequest(caller, { id }),
    form: ({ granted }) => decision(granted, { decision: 'revoke' }),
  },
  {
    name: 'narrows',
    of: 'narrowRequest',
    may: deciders,
    ask: (useCases, caller, { granted: { id } }) =>
      useCases.narrowRequest(caller, { id, terms: { metricKeys: ['cash_balance'] } }),
    form: ({ granted }) =>
      decision(granted, { decision: 'narrow', scopes: granted.approvedScopes, use: 'once' }),
  },
  {
    name: 'pauses',
    of: 'pauseRequest',
    may: deciders,
    ask: (useCases, caller, { granted: { id } }) => useCases.pauseRequest(caller, { id }),
    form: ({ granted }) => decision(granted, { decision: 'pause' }),
  },
  {
    name: 'resumes',
    of: 'resumeRequest',
    may: deciders,
    ask: (useCases, caller, { granted: { id } }) => useCases.resumeRequest(caller, { id }),
    form: ({ granted }) => decision(granted, { decision: 'resume' }),
  },
  {
    name: 'requires two approvals',
    of: 'setApprovalsRequired',
    may: admins,
    ask: (useCases, caller) => useCases.setApprovalsRequired(caller, { required: 2 }),
  },
  {
    name: 'extends',
    of: 'extendRequest',
    may: deciders,
    ask: (useCases, caller, { granted: { id, version } }) =>
      useCases.extendRequest(caller, { id, version, expiresAt: later() }),
    form: ({ granted }) =>
      decision(granted, { decision: 'extend', expires_at: later().toISOString() }),
  },
  {
    name: 'makes a key',
    of: 'createOwnKey',
    may: admins,
    ask: (useCases, caller) => useCases.createOwnKey(caller, {}),
    form: () => inSettings.createKey('data:read'),
  },
  {
    name: 'looks at what data would change',
    of: 'previewPush',
    may: admins,
    ask: (useCases, caller, { record }) => useCases.previewPush(caller, { records: [record] }),
    form: () => ({ ...form('/data/upload'), file: uploaded }),
  },
  {
    name: 'brings data',
    of: 'pushRecords',
    may: admins,
    ask: (useCases, caller, { record }) => useCases.pushRecords(caller, { records: [record] }),
    form: ({ dataVersion }) =>
      form('/data/push', {
        kept: packed,
        version: dataVersion,
        id: once(),
      }),
  },
  {
    name: 'voids a value',
    of: 'pushRecords',
    may: admins,
    ask: (useCases, caller, { record }) =>
      useCases.pushRecords(caller, {
        records: [{ type: 'void', key: 'cash_balance', period: '2026-10-31' }, record],
      }),
    form: () => form('/data/metrics/cash_balance/void', { period: '2026-10-31', reason: 'Wrong' }),
  },
  ...settingsOf<CompanyUseCases, ContactCaller>(companyRoles),
  ...looksOf(companyRoles, companyLooks),
];

export const investorActs: readonly InvestorAct[] = [
  {
    name: 'asks',
    of: 'requestAccess',
    may: askers,
    ask: (useCases, caller, { neighbourId: companyId }) =>
      useCases.requestAccess(caller, { companyId, scopes: ['metrics:read'] }),
    form: ({ neighbourId }) =>
      form(`/portfolio/${neighbourId}/ask`, { scopes: ['metrics:read'], id: once() }),
  },
  {
    name: 'asks for more',
    of: 'amendAccessRequest',
    may: askers,
    ask: (useCases, caller, { granted: { id } }) =>
      useCases.amendAccessRequest(caller, { id, scopes: ['accounts:read'] }),
    form: ({ granted: { id } }) => form(`/requests/${id}/amend`, { scopes: ['accounts:read'] }),
  },
  {
    name: 'withdraws',
    of: 'withdrawAccessRequest',
    may: askers,
    ask: (useCases, caller, { granted: { id } }) => useCases.withdrawAccessRequest(caller, { id }),
    form: ({ granted: { id } }) => form(`/requests/${id}/withdraw`),
  },
  {
    name: 'makes a key',
    of: 'createOwnKey',
    may: admins,
    ask: (useCases, caller) => useCases.createOwnKey(caller, { scopes: ['metrics:read'] }),
    form: () => inSettings.createKey('metrics:read'),
  },
  ...settingsOf<InvestorUseCases, InvestorContactCaller>(investorRoles),
  ...looksOf(investorRoles, investorLooks),
];
