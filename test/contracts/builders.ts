import { createHash, randomBytes } from 'node:crypto';
import {
  type AccessRecord,
  type AccessRequest,
  type Account,
  type ActingCredential,
  type ApiKey,
  type ApplyOptions,
  type Company,
  type Contact,
  type Contacts,
  type CreateChangeEvents,
  companyIdOf,
  createDataEvents,
  type Decimal,
  type FeedQuery,
  type IdempotencyClaim,
  type ImportCounts,
  type ImportedMetric,
  type ImportedVoid,
  type ImportRecord,
  type Investor,
  type Key,
  type Keys,
  lastOfEach,
  type MailSettings,
  type Metric,
  type NewKey,
  type Owner,
  type PortfolioPart,
  type PushTransaction,
  parseDecimal,
  type ReportedSource,
  type Repositories,
  type Role,
  type SettingsChange,
  type WebhookEndpoint,
} from '#core';

const run = randomBytes(4).toString('hex');
let count = 0;

/** Returns an id that no other test uses. Later ids sort after earlier ids. */
export function freshId(prefix: string): string {
  count += 1;
  return `${prefix}_${run}${String(count).padStart(6, '0')}`;
}

export function freshDigest(): string {
  return randomBytes(32).toString('hex');
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The time in milliseconds after 12:00 UTC on 1 November 2026. */
export function at(milliseconds = 0): Date {
  return new Date(Date.UTC(2026, 10, 1, 12) + milliseconds);
}

export const day = 86_400_000;

export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (parsed === null) throw new Error(`${text} is not a decimal`);
  return parsed;
}

export function anInvestor(overrides: Partial<Investor> = {}): Investor {
  return {
    id: freshId('inv'),
    name: 'Northwind Capital',
    environment: 'live',
    createdAt: at(),
    suspendedAt: null,
    ...overrides,
  };
}

export function aCompany(overrides: Partial<Company> = {}): Company {
  return {
    id: freshId('co'),
    name: 'Harbor Robotics',
    environment: 'live',
    createdAt: at(),
    suspendedAt: null,
    ...overrides,
  };
}

export function anApiKey(investor: Investor, overrides: Partial<ApiKey> = {}): NewKey<ApiKey> {
  return {
    key: {
      id: freshId('key'),
      investorId: investor.id,
      environment: investor.environment,
      hint: `svc_sk_${investor.environment}_…9aZ3`,
      name: null,
      scopes: ['companies:read', 'metrics:read'],
      rateLimit: null,
      createdAt: at(),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
      ...overrides,
    },
    digest: freshDigest(),
  };
}

export function anAccessRecord(overrides: Partial<AccessRecord> = {}): AccessRecord {
  return {
    id: freshId('rec'),
    occurredAt: at(),
    requestId: freshId('req'),
    protocol: 'rest',
    keyId: freshId('key'),
    contactId: null,
    investorId: freshId('inv'),
    companyId: freshId('co'),
    scope: 'metrics:read',
    resource: 'metrics',
    metricKey: null,
    grantId: freshId('ar'),
    outcome: 'allowed',
    count: 1,
    ...overrides,
  };
}

interface Pair {
  readonly investor: Investor;
  readonly company: Company;
}

export function anAccessRequest(
  { investor, company }: Pair,
  overrides: Partial<AccessRequest> = {},
): AccessRequest {
  const createdAt = overrides.createdAt ?? at();
  return {
    id: freshId('ar'),
    investorId: investor.id,
    companyId: company.id,
    requestedScopes: ['metrics:read', 'sources:read'],
    approvedScopes: [],
    previousScopes: [],
    additionDeclined: false,
    pendingScopes: [],
    pendingPurpose: null,
    requestedTerms: null,
    approvedTerms: null,
    pendingTerms: null,
    approvals: [],
    reviewAt: null,
    pausedAt: null,
    firstReadAt: null,
    status: 'pending',
    version: '1',
    amendments: 0,
    purpose: null,
    reason: null,
    createdAt,
    decidedAt: null,
    expiresAt: null,
    deadlineAt: new Date(createdAt.getTime() + 30 * day),
    expiringAt: null,
    lastEventType: 'access_request.created',
    ...overrides,
  };
}

export function approved(request: AccessRequest): AccessRequest {
  const expiresAt = new Date(request.createdAt.getTime() + 365 * day);
  return {
    ...request,
    status: 'approved',
    version: '2',
    approvedScopes: request.requestedScopes,
    decidedAt: new Date(request.createdAt.getTime() + 1000),
    expiresAt,
    deadlineAt: expiresAt,
  };
}

export function declined(request: AccessRequest): AccessRequest {
  const decidedAt = new Date(request.createdAt.getTime() + 1000);
  const reason = 'Not this quarter.';
  return { ...request, status: 'declined', version: '2', reason, decidedAt };
}

export function aMetric(
  company: Pick<Company, 'id'>,
  overrides: Partial<ImportedMetric & Metric> = {},
): ImportedMetric & Metric {
  return {
    companyId: company.id,
    key: 'cash_balance',
    label: 'Cash balance',
    currency: 'USD',
    period: '2026-10-31',
    source: { system: 'mercury', method: 'api', lastSynced: at(250) },
    verification: { verified: true, signed: false },
    confidence: 'high',
    value: '$1,250,000.50',
    rawValue: decimal('1250000.50'),
    category: 'liquidity',
    asOf: at(500),
    revision: 1,
    ...overrides,
  };
}

export function aSource(
  company: Pick<Company, 'id'>,
  overrides: Partial<ReportedSource> = {},
): ReportedSource {
  return {
    companyId: company.id,
    provider: 'mercury',
    status: 'connected',
    accountName: 'Operating account',
    lastSyncedAt: at(750),
    expectedEvery: null,
    staleAt: null,
    ...overrides,
  };
}

export function anAccount(company: Pick<Company, 'id'>, overrides: Partial<Account> = {}): Account {
  return {
    id: freshId('acc'),
    companyId: company.id,
    provider: 'mercury',
    name: 'Operating account',
    type: 'bank',
    currency: 'USD',
    balance: '$990,000.25',
    rawBalance: decimal('990000.25'),
    lastFour: '4821',
    lastSyncedAt: at(750),
    ...overrides,
  };
}

export function aClaim(
  investor: Investor,
  overrides: Partial<IdempotencyClaim> = {},
): IdempotencyClaim {
  const claimedAt = overrides.claimedAt ?? at();
  return {
    id: freshId('clm'),
    investorId: investor.id,
    key: freshId('idem'),
    fingerprint: digestOf('{"company":"co_harbor"}'),
    claimedAt,
    leasedUntil: new Date(claimedAt.getTime() + 60_000),
    expiresAt: new Date(claimedAt.getTime() + day),
    ...overrides,
  };
}

export const anEndpoint = (
  overrides: Partial<WebhookEndpoint> & Pick<WebhookEndpoint, 'owner'>,
): WebhookEndpoint => ({
  id: freshId('we'),
  url: 'https://example.com/hook',
  types: [],
  secret: 'whsec_AAAA',
  previousSecret: null,
  previousSecretUntil: null,
  createdAt: at(),
  disabledAt: null,
  droppedDataEvents: 0,
  disabledReason: null,
  ...overrides,
});

/** A settings log entry without an owner, for tests in which the entry doesn't matter. */
export const anEntry = (): SettingsChange => ({
  id: freshId('chg'),
  type: 'access_log.dropped',
  createdAt: at(),
  companyId: null,
  investorId: null,
  actor: { type: 'contact', id: 'ct_1', name: null },
  subject: { type: 'access_log', id: '2026-01-01', name: '2026-01-01' },
  changes: {},
});

export async function addPair(
  { directory }: Pick<Repositories, 'directory'>,
  { environment = 'live' }: Partial<Pick<Investor, 'environment'>> = {},
): Promise<Pair> {
  const pair = { investor: anInvestor({ environment }), company: aCompany({ environment }) };
  await directory.addInvestor(pair.investor, [], []);
  await directory.addCompany(pair.company, anEntry());
  await directory.addToPortfolio(pair.investor, pair.company, at(), anEntry());
  return pair;
}

export async function addInvestor(
  { directory }: Pick<Repositories, 'directory'>,
  overrides: Partial<Investor> = {},
): Promise<Investor> {
  const investor = anInvestor(overrides);
  await directory.addInvestor(investor, [], []);
  return investor;
}

export async function addCompany(
  { directory }: Pick<Repositories, 'directory'>,
  overrides: Partial<Company> = {},
): Promise<Company> {
  const company = aCompany(overrides);
  await directory.addCompany(company, anEntry());
  return company;
}

export const keyChanges = <K extends Key>(keys: Keys<K>) => ({
  add: (newKey: NewKey<K>, change = anEntry()) =>
    keys.transact(null, null, (own) => own.add(newKey, change)),
  rename: (id: string, name: string, change = anEntry()) =>
    keys.transact(null, null, (own) => own.rename(id, name, change)),
  revoke: (id: string, revokedAt: Date, change = anEntry()) =>
    keys.transact(null, null, (own) => own.revoke(id, revokedAt, change)),
  replace: (
    old: Pick<K, 'id'>,
    oldExpiresAt: Date,
    successor: NewKey<K>,
    olderEndsAt?: Date,
    change = anEntry(),
  ) =>
    keys.transact(null, null, (own) =>
      own.replace(old, oldExpiresAt, successor, olderEndsAt, change),
    ),
});

/** An operator's changes of contacts, each in its own transaction. */
export function contactChanges(contacts: Contacts) {
  const ownerOf = async (id: string) =>
    (await contacts.find(id))?.owner ?? { companyId: 'co_none' };
  return {
    add: (contact: Contact, invitationId?: string, change = anEntry()) =>
      contacts.transact(contact.owner, null, (own) => own.add(contact, invitationId, change)),
    saveRole: async (id: string, role: Role, change = anEntry()) =>
      contacts.transact(await ownerOf(id), null, (own) => own.saveRole(id, role, change)),
    saveMailSettings: async (id: string, settings: MailSettings) =>
      contacts.transact(await ownerOf(id), null, (own) => own.saveMailSettings(id, settings)),
    remove: async (id: string, change = anEntry()) =>
      contacts.transact(await ownerOf(id), null, (own) => own.remove(id, change)),
  };
}

/** A credential that passes every check. */
export const aCredential = (owner: Owner): ActingCredential => ({
  type: 'api_key',
  id: 'key_any',
  owner,
  require: () => undefined,
});

/** Adds access requests one after the other, each in its own transaction. */
export async function addRequests(
  { accessRequests }: Pick<Repositories, 'accessRequests'>,
  ...requests: readonly AccessRequest[]
): Promise<void> {
  for (const request of requests) {
    const added = await accessRequests.transact(null, (transaction) => transaction.add(request));
    if (!added) throw new Error(`${request.id} was not added`);
  }
}

export function must<T>(value: T | null): T {
  if (value === null) throw new Error('there is none');
  return value;
}

/**
 * Imports the records as an operator, with one push per company. The last of several records for
 * the same item counts.
 */
export async function importAll(
  { imports }: Pick<Repositories, 'imports'>,
  records: readonly ImportRecord[],
  startedAt = at(),
  options: ApplyOptions = {},
): Promise<ImportCounts> {
  const total = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
  for (const [companyId, lines] of Map.groupBy(linesOf(records), ({ record }) =>
    companyIdOf(record),
  )) {
    const push = { companyId, credential: null, startedAt, isOfOperator: true };
    const apply = (inside: PushTransaction) => inside.apply(lastOfEach(lines), options);
    const counts = must(await imports.transact(push, apply));
    for (const name of Object.keys(total) as (keyof ImportCounts)[]) total[name] += counts[name];
  }
  return total;
}

export const aVoid = (
  company: Company,
  voidReason: string | null = 'Wrong month',
): ImportedVoid => {
  const { revision: _, verification: _verification, ...metric } = aMetric(company);
  const verification = { verified: false, signed: false } as const;
  return { ...metric, value: null, rawValue: null, voidReason, verification };
};

export const companyRecord = ({ id, name, environment }: Company): ImportRecord => ({
  type: 'company',
  company: { id, name, environment },
});
export const metricRecord = (metric: ImportedMetric): ImportRecord => ({
  type: 'metric',
  metric,
});
export const voidRecord = (metric: ImportedVoid): ImportRecord => ({ type: 'metric', metric });
export const sourceRecord = (source: ReportedSource): ImportRecord => ({ type: 'source', source });
export const accountRecord = (account: Account): ImportRecord => ({ type: 'account', account });
export const revisionRecord = (metric: ImportedMetric, revision = 1): ImportRecord => ({
  ...{ type: 'revision', metric, revision, signed: null },
});

export const linesOf = (records: readonly ImportRecord[]) =>
  records.map((record, line) => ({ line, record }));

export const pushWithEvents = (
  { imports }: Pick<Repositories, 'imports'>,
  company: Pick<Company, 'id'>,
  records: readonly ImportRecord[],
  now = at(),
) =>
  imports.transact({ credential: null, companyId: company.id, startedAt: now }, (inside) =>
    inside.apply(linesOf(records), { createEvents: eventsAt(now) }),
  );

export const eventsAt =
  (now = at()): CreateChangeEvents =>
  (change) =>
    createDataEvents(change, () => freshId('evt'), now);

/** Reads the first 1,000 events of the feed, for all companies and investors. `query` can override this. */
export const readFeed = (
  { accessEvents }: Pick<Repositories, 'accessEvents'>,
  query: Partial<FeedQuery> = {},
) => accessEvents.read({ reader: null, after: null, since: null, limit: 1000, ...query });

export const firstPage = (investorId: string): PortfolioPart => ({
  ...{ investorId, order: 'name', above: null, below: null, isDownward: false, limit: 100 },
  ...{ ids: null, search: null, access: null, now: at() },
});
